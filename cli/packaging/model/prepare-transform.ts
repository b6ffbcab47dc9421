import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { explainScriptError } from '#transform/script-error.ts';
import type { TransformScript } from '#transform/transform-script.ts';
import { compileLua } from '../../adapters/lua.ts';
import type { BuildConfig, TransformSource } from '../../config/build-config.ts';

/** Maximum size of a script in bytes; a wrong path can point to a file of any size. */
const MAX_BYTES = 1_000_000;

/** Reads and compiles the transform of a config, if it has one. */
export async function prepareTransform(config: BuildConfig): Promise<TransformScript | undefined> {
  const { file, transform, luaLibs, transformLimits } = config;
  if (!transform) return undefined;
  const script: TransformScript = {
    ...(transform.kind === 'inline' ? inline(transform, file) : await fromFile(transform.path, file)),
    libraries: luaLibs,
    limits: transformLimits,
  };
  try {
    await compileLua(script);
  } catch (error) {
    throw configError(explainScriptError(messageOf(error), script), error);
  }
  return script;
}

type Source = Pick<TransformScript, 'source' | 'name' | 'firstLine'>;

/** Line numbers of an inline script are those of the config file. */
const inline = ({ source, line }: TransformSource & { kind: 'inline' }, file: string): Source => ({
  source,
  name: basename(file),
  firstLine: line,
});

async function fromFile(path: string, file: string): Promise<Source> {
  const rule = `\`transform.path\` of ${file} must be a Lua script`;
  if (!existsSync(path)) throw configError(`No such file: ${path}. ${rule}.`);
  const found = await stat(path);
  if (!found.isFile()) throw configError(`${path} is not a file. ${rule}.`);
  if (found.size > MAX_BYTES) {
    throw configError(`${path} has ${found.size} bytes. ${rule} of at most ${MAX_BYTES} bytes.`);
  }
  return { source: await readFile(path, 'utf8'), name: basename(path), firstLine: 1 };
}
