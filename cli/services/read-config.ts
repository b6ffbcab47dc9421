import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { configError, messageOf } from '../../runtime/contract/errors.ts';
import { errorCode } from '../../runtime/core/values/error-code.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { parseConfig } from '../config/load.ts';
import type { Reporter } from '../packaging/reporter.ts';
import { guessFolder } from './guess-folder.ts';

/** A config file, or a folder with a config file or a model. */
export type ConfigSource = string | { readonly folder: string };

/** Names that are found without `-f`. */
export const CONFIG_NAMES = ['encoderfile.yml', 'encoderfile.yaml'];

/** Reads a configuration. A model folder without a config file gets one from its own files. `variant` overrides the config. */
export async function readConfig(
  source: ConfigSource,
  report?: Reporter,
  variant?: string,
): Promise<BuildConfig> {
  if (typeof source === 'string') return withVariant(await readFileConfig(source), variant);
  const { folder } = source;
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw configError(`No such directory: ${folder}. Pass the folder of a model.`);
  if (!found.isDirectory())
    throw configError(`${folder} is a file, but a folder is required. Pass a config file with -f.`);
  const file = configIn(folder);
  if (file !== undefined) return withVariant(await readFileConfig(file), variant);
  return withVariant(await defaultConfig(folder, report, variant), variant);
}

/** The config file in a folder. */
export function configIn(folder: string): string | undefined {
  const found = CONFIG_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (found.length < 2) return found[0];
  throw configError(`Found both ${found.join(' and ')}. Remove one of them, or pass one with -f.`);
}

/** Its file does not exist, but a config that the user adds later will have this path. */
async function defaultConfig(
  folder: string,
  report: Reporter | undefined,
  variant: string | undefined,
): Promise<BuildConfig> {
  const { name, modelType, because } = await guessFolder(folder, variant);
  if (because === undefined) {
    throw configError(
      `The files of ${folder} do not state the type of the model. Run \`encoderfile init ${folder} --model-type TYPE\`, and build with the config file that it writes.`,
    );
  }
  report?.print(`No config file: ${name} is of type ${modelType}, because ${because}`);
  const text = stringify({ encoderfile: { name, path: '.', model_type: modelType } });
  return parseConfig(text, join(folder, CONFIG_NAMES[0] ?? ''), process.env);
}

function withVariant(config: BuildConfig, variant: string | undefined): BuildConfig {
  if (variant === undefined) return config;
  const { model, file } = config;
  if (model.kind === 'folder') return { ...config, model: { ...model, variant } };
  throw configError(
    `--variant requires \`path\` in ${file} to be a folder, but it is a mapping of files. Remove --variant.`,
  );
}

async function readFileConfig(file: string): Promise<BuildConfig> {
  return parseConfig(await readText(file), file, process.env);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT')
      throw configError(`No such config file: ${file}. Create one with \`encoderfile init\`.`, error);
    if (code === 'EISDIR') throw configError(`${file} is a folder. Pass the YAML file in it.`, error);
    throw configError(`Cannot read ${file}: ${messageOf(error)}.`, error);
  }
}
