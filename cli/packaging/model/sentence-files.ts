import { lookup } from '#core/values/lookup.ts';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { configError } from '#contract/errors.ts';
import { type Pooling, SIMILARITIES, type Similarity } from '#contract/sentence.ts';
import { isObject } from '#core/json/is-object.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { moduleWeightsAmong, weightFileIn } from '../architectures/weight-files.ts';
import type { ModelFiles } from './locate-files.ts';
import { MODULE_FOLDERS } from './model-listing.ts';
import { readJsonObject, readJsonList } from './read-json.ts';
import { readRoutes } from './routes.ts';
import {
  findLayers,
  type FoundLayer,
  isWeighted,
  type ModuleFiles,
  moduleClass,
  modulePath,
} from './sentence-layers.ts';

/** Whether a sentence-transformers file states how vectors are computed. */
export const hasSentenceFiles = ({ folder }: Pick<ModelFiles, 'folder'>): boolean =>
  ['modules.json', join('1_Pooling', 'config.json')].some((name) => existsSync(join(folder, name)));

/** Reads the files that sentence-transformers saved in the model folder. All of them are optional. */
export async function readSentenceDefaults({
  folder,
}: Pick<ModelFiles, 'folder'>): Promise<SentenceDefaults> {
  const modules = await readModules(folder);
  const pooling = join(poolingFolder(modules), 'config.json');
  const object = async (name: string): Promise<Record<string, unknown> | undefined> => {
    const path = join(folder, name);
    return existsSync(path) ? await readJsonObject<Record<string, unknown>>(path) : undefined;
  };
  const firstOf = async (names: readonly string[]): Promise<Record<string, unknown> | undefined> => {
    const name = names.find((one) => existsSync(join(folder, one)));
    return name === undefined ? undefined : await object(name);
  };
  const files = new Map<string, ModuleFiles>();
  for (const path of (modules ?? []).filter(isWeighted).map(modulePath)) {
    const config = await object(join(path, 'config.json'));
    if (config) files.set(path, { config, hasWeights: weightFileIn(join(folder, path)) !== undefined });
  }
  const settings = {
    ...(await firstOf(MODULE_FOLDERS.map((below) => join(below, 'sentence_bert_config.json')))),
    ...(await object('sentence_bert_config.json')),
    ...(await object('config_sentence_transformers.json')),
  };
  return sentenceDefaults(modules, { name: pooling, content: await object(pooling) }, settings, files);
}

/**
 * Paths of the modules' weight files, relative to the folder of modules.json, with slashes. `has`
 * returns whether the model has a file.
 */
export async function moduleWeights(folder: string, has: (path: string) => boolean): Promise<string[]> {
  const listed = (await readModules(folder)) ?? [];
  const routes = await readRoutes(folder, listed);
  const modules = [...listed, ...(routes ? [...routes.query, ...routes.document] : [])];
  return modules.filter(isWeighted).flatMap((module) => {
    const pathOf = (name: string): string => posix.join(modulePath(module), name);
    const name = moduleWeightsAmong((one) => has(pathOf(one)));
    return name === undefined ? [] : [pathOf(name)];
  });
}

/** The entries of modules.json; undefined if the folder has none. */
export async function readModules(folder: string): Promise<unknown[] | undefined> {
  const list = join(folder, 'modules.json');
  return existsSync(list) ? await readJsonList(list) : undefined;
}

/** The vector settings that were saved with a sentence-transformers model. */
export interface SentenceDefaults {
  /** If there are several pooling modes, their results are concatenated. */
  readonly pooling: Pooling | readonly Pooling[] | undefined;
  /** The modules between pooling and normalization. */
  readonly layers: readonly FoundLayer[];
  /** Names an unsupported processing step, as the start of an error message. */
  readonly unsupported: string | undefined;
  readonly includePrompt: boolean;
  readonly normalize: boolean;
  readonly dimensions: number | undefined;
  readonly similarity: Similarity | undefined;
  readonly prompts: Readonly<Record<string, string>>;
  readonly defaultPromptName: string | undefined;
  /** Maximum number of tokens per text. */
  readonly maxLength: number | undefined;
  /** Whether texts are lower-cased before they are tokenized. */
  readonly lowerCase: boolean;
}

interface PoolingFile {
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a model's defaults. `settings` combines sentence_bert_config.json and
 * config_sentence_transformers.json.
 * @internal Exported for tests only.
 */
export function sentenceDefaults(
  modules: readonly unknown[] | undefined,
  poolingFile: PoolingFile,
  settings: Fields,
  files: ReadonlyMap<string, ModuleFiles> = new Map(),
): SentenceDefaults {
  const listed = modules ?? [];
  const parts = listed.map((module) => moduleClass(module));
  const other = listed.find((module) => !KNOWN_PARTS.has(moduleClass(module)) && !isWeighted(module));
  const modes = poolingModes(poolingFile.content);
  const [pooling, ...joined] = modes.flatMap((mode) => POOLING_OF[mode] ?? []);
  const { layers, problem } = other === undefined ? findLayers(listed, files) : NO_LAYERS;
  return {
    pooling: pooling !== undefined && joined.length > 0 ? [pooling, ...joined] : pooling,
    layers,
    unsupported:
      other === undefined
        ? (problem ?? unsupportedPooling(modes, poolingFile, parts.includes('Pooling')))
        : `modules.json has an unsupported module ${moduleClass(other)}; it works only in a model with the output sentence_embedding`,
    includePrompt: poolingFile.content?.['include_prompt'] !== false,
    normalize: parts.findLast((part) => part !== 'Dropout') === 'Normalize',
    dimensions: positive(settings['truncate_dim']),
    similarity: similarityOf(settings['similarity_fn_name']),
    prompts: promptsOf(settings['prompts']),
    defaultPromptName: text(settings['default_prompt_name']),
    maxLength: positive(settings['max_seq_length']),
    lowerCase: settings['do_lower_case'] === true,
  };
}

/**
 * Returns the folder of the pooling settings, relative to the model folder.
 * @internal Exported for tests only.
 */
export function poolingFolder(modules: readonly unknown[] | undefined): string {
  const pooling = modules?.filter(isObject).find((module) => moduleClass(module) === 'Pooling');
  return modulePath(pooling) || '1_Pooling';
}

const NO_LAYERS = { layers: [], problem: undefined };

/** Modules that are supported, apart from layers. Dropout has no effect after training. */
const KNOWN_PARTS: ReadonlySet<string> = new Set([
  'Transformer',
  'StaticEmbedding',
  'Pooling',
  'Normalize',
  'Dropout',
]);

const POOLING_OF = lookup<Pooling>({
  mean: 'mean',
  cls: 'cls',
  max: 'max',
  lasttoken: 'last',
  mean_sqrt_len_tokens: 'mean_sqrt_len_tokens',
  weightedmean: 'weightedmean',
});

/**
 * Boolean settings in older files, one for each pooling mode. The results of several modes are
 * concatenated in this order.
 */
const MODE_OF_SWITCH = lookup<string>({
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_mean_sqrt_len_tokens: 'mean_sqrt_len_tokens',
  pooling_mode_weightedmean_tokens: 'weightedmean',
  pooling_mode_lasttoken: 'lasttoken',
});

function poolingModes(content: Fields | undefined): string[] {
  const mode = content?.['pooling_mode'];
  if (mode !== undefined) return [mode].flat().map((one) => text(one) ?? JSON.stringify(one));
  return Object.entries(MODE_OF_SWITCH).flatMap(([key, name]) => (content?.[key] === true ? [name] : []));
}

function unsupportedPooling(
  modes: readonly string[],
  { name, content }: PoolingFile,
  isListed: boolean,
): string | undefined {
  if (!content) return isListed ? `modules.json has a Pooling module, but ${name} is missing` : undefined;
  const unknown = modes.find((mode) => POOLING_OF[mode] === undefined);
  return unknown === undefined ? undefined : `${name} has an unsupported pooling mode ${unknown}`;
}

/** Returns undefined for cosine, because it is also the default of executables. */
function similarityOf(value: unknown): Similarity | undefined {
  if (value === undefined || value === null || value === 'cosine') return undefined;
  if (isOneOf(SIMILARITIES, value)) return value;
  throw configError(
    `config_sentence_transformers.json: \`similarity_fn_name\` is ${JSON.stringify(value)}, but it must be one of ${SIMILARITIES.join(', ')}.`,
  );
}

function promptsOf(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (!entries) throw configError('config_sentence_transformers.json: `prompts` must map names to strings.');
  return Object.fromEntries(
    // sentence-transformers writes null for a prompt that is not set.
    entries.flatMap(([name, prompt]) =>
      name === '' ? [] : [[name, typeof prompt === 'string' ? prompt : '']],
    ),
  );
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
