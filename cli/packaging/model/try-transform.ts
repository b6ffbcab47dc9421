import { configError, messageOf } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { describeShape, elementsIn, type Tensor } from '#core/tensor/tensor.ts';
import { checkFinite } from '#transform/check-result.ts';
import { explainScriptError, type TransformScript } from '#transform/transform-script.ts';
import { withLua, compileLua } from '../../adapters/lua.ts';
import type { PreparedGraph } from './prepared-graph.ts';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { BuildConfig, TransformSource } from '../../config/build-config.ts';

/** Lengths of texts with random output: the minimum, and a typical length. */
const MADE_UP_LENGTHS = [1, 128];

/**
 * Runs the transform as the executable will: on the model's output for each sample text, and on
 * random output. Non-finite numbers are only rejected for the model's own output, because a
 * logarithm can fail for random values that the model never returns.
 */
export async function tryTransform(
  script: TransformScript,
  modelType: ModelType,
  { samples, signature }: PreparedGraph,
  print: (line: string) => void,
): Promise<void> {
  const [, size = 0, width] = samples[0]?.shape ?? [];
  const shapes = MADE_UP_LENGTHS.map((length) => (width === undefined ? [1, size] : [1, length, width]));
  const madeUp = shapes.map(random);
  await withLua(script, print, async (run) => {
    for (const output of [...samples, ...madeUp]) {
      try {
        const result = await run({ modelType, output });
        if (!madeUp.includes(output)) checkFinite(result, script);
      } catch (error) {
        const { name } = signature.output;
        const where = `in a trial run with ${name} of shape ${describeShape(output.shape)}`;
        throw configError(
          `${explainScriptError(messageOf(error), script)}\n  (${where}; set validate_transform: false to skip trial runs)`,
          error,
        );
      }
    }
  });
}

/** Values evenly distributed in [-1, 1), the same in every build. */
function random(shape: readonly number[]): Tensor {
  let state = 42;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return { data: Float32Array.from({ length: elementsIn(shape) }, next), shape };
}

/** Maximum script size in bytes; a wrong path can point to a file of any size. */
const MAX_BYTES = 1_000_000;

/** Reads and compiles a config's transform, if it has one. */
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

/** Line numbers of an inline script refer to the config file. */
const inline = ({ source, line }: TransformSource & { kind: 'inline' }, file: string): Source => ({
  source,
  name: basename(file),
  firstLine: line,
});

async function fromFile(path: string, file: string): Promise<Source> {
  const rule = `\`transform.path\` in ${file} must be a Lua script`;
  if (!existsSync(path)) throw configError(`No such file: ${path}. ${rule}.`);
  const found = await stat(path);
  if (!found.isFile()) throw configError(`${path} is not a file. ${rule}.`);
  if (found.size > MAX_BYTES) {
    throw configError(`${path} has ${found.size} bytes. ${rule} of at most ${MAX_BYTES} bytes.`);
  }
  return { source: await readFile(path, 'utf8'), name: basename(path), firstLine: 1 };
}
