import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, basename, dirname, relative } from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import type { BuildConfig, UnfetchedConfig } from '../config/build-config.ts';
import { hubReferenceText, isHubReference, parseHubReference } from '../config/hub-reference.ts';
import { parseConfig } from '../config/load.ts';
import { fetchHubModel, fetchTokenizersOf, type HubOptions, tokenizerFolders } from './fetch-hub-model.ts';
import type { ModelType } from '#contract/model-types.ts';
import { GUESSED_TYPES } from '../packaging/model/build-types.ts';
import {
  refuseGenerator,
  guessModel,
  type ModelGuess,
  readEvidence,
} from '../packaging/model/guess-model.ts';
import { orSimilar } from './similar-path.ts';
import { argumentWord } from './text.ts';
import { graphOutputs } from '../packaging/model/graph-outputs.ts';
import { chooseGraphIn, graphVariants } from '../packaging/model/graph-variants.ts';
import { GRAPH_FOLDERS, listModel } from '../packaging/model/model-listing.ts';

/** A config file, a folder with a config file or a model, or a model on the hub. */
export type ConfigSource = string | { readonly folder: string };

/** Config file names that are found without `-f`. */
export const CONFIG_NAMES = ['encoderfile.yml', 'encoderfile.yaml'];

/** Matches a path that may be the name of a model on the hub without the `hf:` prefix. */
export const HUB_NAME = /^[\w-][\w.-]*\/[\w.-]+$/;

interface ReadOptions extends HubOptions {
  readonly modelType?: ModelType | undefined;
}

/**
 * Reads a configuration. For a model without a config file, creates one from the model's files.
 * `variant` and `modelType` override the config.
 */
export async function readBuildConfig(source: ConfigSource, options: ReadOptions = {}): Promise<BuildConfig> {
  if (typeof source === 'string') return await fetched(await readFileConfig(source, options), options);
  const { folder } = source;
  if (isHubReference(folder)) return await hubConfig(folder, options);
  const found = await stat(folder).catch(() => undefined);
  if (!found) {
    const onHub = HUB_NAME.test(folder) ? `, or hf:${folder} for a Hugging Face Hub model` : '';
    throw configError(`No such directory: ${folder}${orSimilar(folder)} Pass a model folder${onHub}.`);
  }
  if (!found.isDirectory()) return await readNamedFile(folder, options);
  const file = configIn(folder);
  if (file !== undefined) return await fetched(await readFileConfig(file, options), options);
  return await folderConfig(folder, options);
}

/** Reads a config file, or the model folder that is named by one of the model's files. */
async function readNamedFile(path: string, options: ReadOptions): Promise<BuildConfig> {
  if (/\.ya?ml$/i.test(path)) return await fetched(await readFileConfig(path, options), options);
  const { folder, variant } = folderOfFile(path);
  const config = configIn(folder);
  if (config === undefined)
    return await folderConfig(folder, { ...options, variant: options.variant ?? variant });
  throw configError(
    `${path} belongs to a model that has a config file. Run \`encoderfile build -f ${argumentWord(config)}\`; choose the graph with \`variant\` in the config, or with --variant.`,
  );
}

async function folderConfig(folder: string, options: ReadOptions): Promise<BuildConfig> {
  const text = await defaultConfig(folder, '.', { folder, variant: options.variant }, options);
  return await fetched(parseConfig(text, join(folder, CONFIG_NAMES[0] ?? ''), process.env), options);
}

/** Finds the config file in a folder. */
export function configIn(folder: string): string | undefined {
  const found = CONFIG_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (found.length < 2) return found[0];
  throw configError(`Found both ${found.join(' and ')}. Remove one of them, or pass one with -f.`);
}

/** A config file in a hub repository is ignored, because it could name other files on this machine. */
async function hubConfig(name: string, options: ReadOptions): Promise<BuildConfig> {
  const reference = parseHubReference(name);
  const found = await fetchHubModel(reference, options);
  const place = {
    folder: found.folder,
    variant: found.graph.path,
    ...tokenizerFolders(found),
  };
  const text = await defaultConfig(name, name, place, options);
  // The path does not depend on the revision, so that a build of a newer revision replaces the
  // output of an older one.
  const file = hubReferenceText({ ...reference, revision: 'main' });
  return { ...parseConfig(text, file, process.env), model: { kind: 'folder', ...place } };
}

/** Creates a config from a model's files. Its path is that of a config file that the user may add later. */
async function defaultConfig(
  shown: string,
  path: string,
  { folder, variant }: { readonly folder: string; readonly variant: string | undefined },
  { report, modelType: chosen }: ReadOptions,
): Promise<string> {
  const guess = await guessFolder(folder, variant);
  const { name, because } = guess;
  if (chosen === undefined) {
    refuseGenerator(guess, shown);
    if (because === undefined) {
      throw configError(
        `The files in ${shown} do not specify the model type. Pass it, for example --model-type sentence_embedding.`,
      );
    }
    report?.print(`No config file: ${name} is of type ${guess.modelType}, because ${because}`);
    const { alternative: other } = GUESSED_TYPES[guess.modelType];
    if (other)
      report?.print(`${other.sentence}. For ${other.returns} instead, pass --model-type ${other.type}`);
  }
  const modelType = chosen ?? guess.modelType;
  return stringify({ encoderfile: { name, path, model_type: modelType } });
}

/** Replaces a model on the hub with its folder in the cache. */
async function fetched(config: UnfetchedConfig, options: HubOptions): Promise<BuildConfig> {
  const { file, model } = config;
  const variant = options.variant ?? (model.kind === 'files' ? undefined : model.variant);
  if (model.kind === 'hub') {
    const found = await fetchHubModel(model.reference, { ...options, variant });
    const { folder, graph } = found;
    return {
      ...config,
      model: { kind: 'folder', folder, variant: graph.path, ...tokenizerFolders(found) },
    };
  }
  if (model.kind === 'folder') {
    const folders = await fetchTokenizersOf(model.folder, options);
    return { ...config, model: { ...model, variant, ...folders } };
  }
  if (options.variant === undefined) return { ...config, model };
  throw configError(
    `--variant requires \`path\` in ${file} to be a folder, but it is a mapping of files. Remove --variant.`,
  );
}

async function readFileConfig(file: string, { modelType }: ReadOptions): Promise<UnfetchedConfig> {
  // Paths in a config from stdin are relative to the current folder, as if it were a file in this folder.
  if (file === STDIN)
    return parseConfig(await readStream(process.stdin), STDIN_NAME, process.env, { modelType });
  return parseConfig(await readText(file), file, process.env, { modelType });
}

/** The argument of `-f` for a config on stdin. */
const STDIN = '-';

/** The name of a config from stdin in messages. */
export const STDIN_NAME = 'stdin';

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT')
      throw configError(
        `No such config file: ${file}${orSimilar(file)} Create one with \`encoderfile init\`.`,
        error,
      );
    if (code === 'EISDIR') throw configError(`${file} is a folder. Pass the YAML file in it.`, error);
    throw configError(`Cannot read ${file}: ${messageOf(error)}.`, error);
  }
}

/**
 * Guesses the name and type of the model in a folder. Fails if the model's graph cannot be chosen
 * or read.
 */
async function guessFolder(folder: string, variant?: string): Promise<ModelGuess> {
  const { path } = chooseGraphIn(folder, variant);
  return await guessModel(await readEvidence(folder, graphOutputs(join(folder, path))));
}

/** A model that is named by one of its files. */
interface NamedFile {
  readonly folder: string;
  /** The graph, if the file contains one; undefined for settings and for weights in several files. */
  readonly variant: string | undefined;
}

/** Finds the folder of a model that is named by one of its files, as in `build ./model/model.safetensors`. */
function folderOfFile(file: string): NamedFile {
  if (!MODEL_FILE.test(basename(file))) {
    throw configError(`${file} is not a model file. Pass a model folder, or a config file with -f.`);
  }
  const folder = rootOf(dirname(file));
  const path = relative(folder, file).replaceAll('\\', '/');
  const isGraph = graphVariants(listModel(folder)).some((variant) => variant.path === path);
  return { folder, variant: isGraph ? path : undefined };
}

/** Whether a path names a config file or a file of a model. */
export const isModelFile = (path: string): boolean =>
  /\.ya?ml$/i.test(path) || MODEL_FILE.test(basename(path));

const MODEL_FILE =
  /\.(?:onnx|safetensors)$|^(?:pytorch_model.*\.bin|(?:(?:model\.safetensors|pytorch_model\.bin)\.index|config|tokenizer|tokenizer_config|modules|gliner_config)\.json)$/;

/** Graphs can be in a subfolder of the model folder. */
function rootOf(folder: string): string {
  const below = GRAPH_FOLDERS.filter((name) => name !== '').map((name) => name.slice(0, -1));
  const found = below
    .toSorted((one, other) => other.length - one.length)
    .find((name) => `/${folder.replaceAll('\\', '/')}`.endsWith(`/${name}`));
  return found === undefined ? folder : join(folder, ...found.split('/').map(() => '..'));
}
