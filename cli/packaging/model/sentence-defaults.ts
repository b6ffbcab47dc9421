import { configError } from '../../../runtime/contract/errors.ts';
import type { Pooling } from '../../../runtime/contract/sentence.ts';
import { isObject } from '../../../runtime/core/json/is-object.ts';
import { memberOf } from '../../../runtime/core/values/member-of.ts';

/** Settings for vectors that a sentence-transformers model was saved with. */
export interface SentenceDefaults {
  readonly pooling: Pooling | undefined;
  /** A processing step that is not supported, as the start of an error message. */
  readonly unsupported: string | undefined;
  readonly includePrompt: boolean;
  readonly normalize: boolean;
  readonly dimensions: number | undefined;
  readonly prompts: Readonly<Record<string, string>>;
  readonly defaultPromptName: string | undefined;
  /** Maximum number of tokens of a text. */
  readonly maxLength: number | undefined;
  /** Whether texts are lower-cased before they are tokenized. */
  readonly lowerCase: boolean;
}

export interface PoolingFile {
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the defaults of a model. `settings` combines sentence_bert_config.json and config_sentence_transformers.json. */
export function sentenceDefaults(
  modules: readonly unknown[] | undefined,
  poolingFile: PoolingFile,
  settings: Fields,
): SentenceDefaults {
  const parts = (modules ?? []).map((module) => partName(module));
  const other = parts.find((part) => !KNOWN_PARTS.has(part));
  const modes = poolingModes(poolingFile.content);
  const [pooling] = modes.flatMap((mode) => POOLING_OF[mode] ?? []);
  return {
    pooling: modes.length === 1 ? pooling : undefined,
    unsupported:
      other === undefined
        ? unsupportedPooling(modes, poolingFile, parts.includes('Pooling'))
        : `modules.json has an unsupported module ${other}; it works only in a model with the output sentence_embedding`,
    includePrompt: poolingFile.content?.['include_prompt'] !== false,
    normalize: parts.includes('Normalize'),
    dimensions: positive(settings['truncate_dim']),
    prompts: promptsOf(settings['prompts']),
    defaultPromptName: text(settings['default_prompt_name']),
    maxLength: positive(settings['max_seq_length']),
    lowerCase: settings['do_lower_case'] === true,
  };
}

/** Folder of the pooling settings, relative to the model folder. */
export function poolingFolder(modules: readonly unknown[] | undefined): string {
  const pooling = modules?.filter(isObject).find((module) => partName(module) === 'Pooling');
  return text(pooling?.['path']) ?? '1_Pooling';
}

/** Dropout has no effect after training. */
const KNOWN_PARTS: ReadonlySet<string> = new Set(['Transformer', 'Pooling', 'Normalize', 'Dropout']);

/** The class of a module; its package has changed between versions of the library. */
const partName = (module: unknown): string =>
  (text(memberOf(module, 'type')) ?? 'without a type').split('.').at(-1) ?? '';

const POOLING_OF: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  cls: 'cls',
  max: 'max',
  lasttoken: 'last',
};

/** Older files have a boolean for each mode. */
const MODE_OF_SWITCH: Readonly<Record<string, string>> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_mean_sqrt_len_tokens: 'mean_sqrt_len_tokens',
  pooling_mode_weightedmean_tokens: 'weightedmean',
  pooling_mode_lasttoken: 'lasttoken',
};

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
  if (modes.length > 1) return `${name} combines several pooling modes (${modes.join(', ')})`;
  const [mode] = modes;
  return mode === undefined || POOLING_OF[mode]
    ? undefined
    : `${name} has an unsupported pooling mode ${mode}`;
}

function promptsOf(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (!entries) throw configError('config_sentence_transformers.json: `prompts` must map names to texts.');
  return Object.fromEntries(
    // The library writes null for a prompt that is not set.
    entries.flatMap(([name, prompt]) =>
      name === '' ? [] : [[name, typeof prompt === 'string' ? prompt : '']],
    ),
  );
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
