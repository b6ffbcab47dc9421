import type { TypeFields } from '#contract/config-schema.ts';
import { configError } from '#contract/errors.ts';
import type { Pooling, NamedPrompt, SentenceSettings, Similarity } from '#contract/sentence.ts';
import { pooledWidth, vectorWidth } from '#core/model/vector-width.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { SentenceDefaults } from './sentence-files.ts';
import type { ModelTasks } from './tasks.ts';
import type { FoundLayer } from './sentence-layers.ts';

/** Settings in the config file for one vector per text. Missing settings come from the model's own files. */
export interface SentenceConfig {
  readonly pooling: Pooling | undefined;
  readonly normalize: boolean | undefined;
  readonly dimensions: number | undefined;
  readonly similarity: Similarity | undefined;
  readonly prompts: Readonly<Record<string, string>> | undefined;
  readonly defaultPromptName: string | undefined;
  /** The task whose adapter the build adds to the weights. */
  readonly task: string | undefined;
}

/** Selects the settings for vectors from the fields of the config file. */
export const sentenceConfig = ({
  similarity_fn_name: similarity,
  default_prompt_name: defaultPromptName,
  ...fields
}: TypeFields): SentenceConfig => ({
  pooling: fields.pooling,
  normalize: fields.normalize,
  dimensions: fields.dimensions,
  similarity,
  prompts: fields.prompts,
  task: fields.task,
  defaultPromptName,
});

/** The facts about a sentence_embedding model before its graph is read. */
export interface SentenceSource {
  /** The config file, for messages. */
  readonly file: string;
  readonly config: SentenceConfig;
  readonly defaults: SentenceDefaults;
  /** Whether a transform computes the vector, so that pooling is not used. */
  readonly transforms: boolean;
  /** Whether the model is static, so that its modules follow its text vectors. */
  readonly isTable?: boolean | undefined;
  /** The tasks of a model with an adapter for each task. */
  readonly tasks?: ModelTasks | undefined;
  /** Whether the build adds layers that compute more outputs from the token vectors. */
  readonly hasHeads: boolean;
}

/**
 * The kinds of vectors that a model's graph can return, in order of preference. The runtime pools
 * token vectors.
 */
export type VectorsOf = readonly ('text' | 'token')[];

/**
 * Returns the kinds of vectors that the model's graph can return. A graph with built-in pooling is
 * preferred, but it cannot exclude the tokens of a prompt.
 */
export function vectorsKind(source: SentenceSource): VectorsOf {
  const { pooling } = source.config;
  if (source.transforms || (source.hasHeads && source.config.pooling === undefined)) return ['token', 'text'];
  if (pooling !== undefined) return pooling === 'none' ? ['text'] : ['token'];
  return leavesPromptsOut(source) ? ['token', 'text'] : ['text', 'token'];
}

/**
 * Combines the config file with the model's own files, and rejects settings that would give
 * different vectors than the model's files specify.
 */
export async function sentenceSettings(
  source: SentenceSource,
  { shape, width }: { readonly shape: readonly string[]; readonly width: number },
  { tokenizer, settings: { maxLength } }: PreparedTokenizer,
): Promise<SentenceSettings> {
  const { config, defaults, file } = source;
  const pooling = choosePooling(source, shape);
  const layers = layerSettings(source, shape);
  checkLayers(layers, pooledWidth(pooling, width));
  const steps = layers.map((layer) => layer.settings);
  const dimensions = config.dimensions ?? defaults.dimensions;
  const full = vectorWidth({ sentence: { pooling, layers: steps }, width });
  if (dimensions !== undefined && dimensions > full) {
    throw configError(`${file}: \`dimensions\` is ${dimensions}, but the model's vectors have only ${full}.`);
  }
  const prompts: Record<string, NamedPrompt> = {};
  for (const [name, text] of Object.entries(promptsOf(source))) {
    const tokens = text === '' ? 0 : await tokenizer.tokensBefore(text);
    if (tokens >= maxLength) {
      throw configError(
        `The prompt \`${name}\` has ${tokens} tokens, which leaves no room for text within the model's maximum of ${maxLength}. Shorten the prompt.`,
      );
    }
    prompts[name] = { text, tokens, ...adapterOf(source, name) };
  }
  const similarity = config.similarity ?? defaults.similarity;
  const defaultPrompt = chooseDefaultPrompt(source, prompts);
  return {
    pooling,
    includePrompt: shape.length === 2 || defaults.includePrompt,
    ...(steps.length === 0 ? {} : { layers: steps }),
    normalize: config.normalize ?? defaults.normalize,
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(similarity === undefined || similarity === 'cosine' ? {} : { similarity }),
    prompts,
    ...(defaultPrompt === undefined ? {} : { defaultPrompt }),
  };
}

/**
 * Returns the model's modules after pooling. They are not applied if the graph or a transform
 * returns text vectors, or if `pooling` is set and some modules are not supported.
 */
export function layerSettings(
  { config, defaults, transforms, isTable = false }: SentenceSource,
  shape: readonly string[],
): readonly FoundLayer[] {
  const isOverridden = config.pooling !== undefined && defaults.unsupported !== undefined;
  const isPooled = shape.length === 2 && !isTable;
  return isPooled || transforms || isOverridden ? [] : defaults.layers;
}

function checkLayers(layers: readonly FoundLayer[], pooled: number): void {
  let width = pooled;
  for (const { settings, path } of layers) {
    if (settings.kind === 'normalize') continue;
    const expected = settings.kind === 'dense' ? settings.inputs : settings.width;
    if (expected !== width) {
      throw configError(
        `${path}/config.json expects vectors with ${expected} dimensions, but its input vectors have ${width}. Check \`pooling\` and the order of the modules in modules.json.`,
      );
    }
    if (settings.kind === 'dense') width = settings.outputs;
  }
}

function choosePooling(source: SentenceSource, shape: readonly string[]): SentenceSettings['pooling'] {
  const { config, defaults, file } = source;
  if (shape.length === 2) {
    if (config.pooling !== undefined && config.pooling !== 'none') {
      throw configError(
        `${file} sets \`pooling: ${config.pooling}\`, but its \`output\` has one vector per text. Choose an output with token vectors, or remove \`pooling\`.`,
      );
    }
    if (!leavesPromptsOut(source)) return 'none';
    throw configError(
      'The model pools its vectors itself, prompt tokens included, but 1_Pooling/config.json has `include_prompt: false`. ' +
        `Export the model with token vectors, or set \`prompts: {}\` in ${file} to disable prompts.`,
    );
  }
  if (source.transforms) {
    if (config.pooling === undefined || config.pooling === 'none') return 'none';
    throw configError(
      `${file} sets both \`pooling: ${config.pooling}\` and a \`transform\`, which replaces pooling. Remove one of them.`,
    );
  }
  if (config.pooling === 'none') {
    throw configError(
      `${file} sets \`pooling: none\`, but its \`output\` has one vector per token. Choose an output with one vector per text, or another \`pooling\`.`,
    );
  }
  if (config.pooling !== undefined) return config.pooling;
  if (defaults.unsupported === undefined) return defaults.pooling ?? 'mean';
  throw configError(
    `${defaults.unsupported}. Set \`pooling\` in ${file} to mean, cls, max or last to override it.`,
  );
}

/** Whether the vector of a text is that of its first token, which is never a token of a prompt. */
export const readsFirstToken = (source: SentenceSource, shape: readonly string[]): boolean =>
  shape.length > 2 && source.defaults.includePrompt && choosePooling(source, shape) === 'cls';

const leavesPromptsOut = (source: SentenceSource): boolean =>
  !source.defaults.includePrompt && Object.values(promptsOf(source)).some((prompt) => prompt !== '');

/** The model's prompts. Each task has a prompt, and a build for one task has no prompts for others. */
function promptsOf({ config, defaults, tasks }: SentenceSource): Readonly<Record<string, string>> {
  const prompts = config.prompts ?? defaults.prompts;
  if (!tasks) return prompts;
  const ofTasks = tasks.tasks.map(({ name, instruction }): [string, string] => [
    name,
    (Object.hasOwn(prompts, name) ? prompts[name] : undefined) ?? (config.prompts ? '' : instruction),
  ]);
  return { ...(tasks.choice === 'by text' ? prompts : config.prompts), ...Object.fromEntries(ofTasks) };
}

function adapterOf({ tasks }: SentenceSource, prompt: string): Pick<NamedPrompt, 'adapter'> {
  const task = tasks?.tasks.find(({ name }) => name === prompt);
  return task ? { adapter: task.adapter } : {};
}

const EMPTY_PROMPTS: ReadonlySet<string> = new Set(['query', 'document']);

function chooseDefaultPrompt(
  { config, defaults, file, tasks }: SentenceSource,
  prompts: Readonly<Record<string, NamedPrompt>>,
): string | undefined {
  const [task, ...others] = tasks?.tasks ?? [];
  const ofTask = others.length === 0 ? task?.name : undefined;
  const name = config.defaultPromptName ?? ofTask ?? defaults.defaultPromptName;
  if (name === undefined || Object.hasOwn(prompts, name)) return name;
  // In sentence-transformers, every model has these prompts. They are empty unless a file sets them.
  if (config.defaultPromptName === undefined && EMPTY_PROMPTS.has(name)) return undefined;
  // The default prompt is one of the model's own prompts, so it is not used if the config file sets
  // other prompts.
  if (config.defaultPromptName === undefined && config.prompts) return undefined;
  const known = Object.keys(prompts).join(', ') || 'none';
  const origin = config.defaultPromptName === undefined ? 'config_sentence_transformers.json' : file;
  throw configError(
    `${origin}: \`default_prompt_name\` is ${JSON.stringify(name)}, but it must be one of the prompts (${known}).`,
  );
}
