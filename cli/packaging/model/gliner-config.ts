import type { EntitySettings } from '#contract/entity-settings.ts';
import { configError } from '#contract/errors.ts';
import { isMapping } from '#core/yaml/describe.ts';
import type { ModelConfig } from './labels.ts';
import { readJson } from './read-json.ts';
import type { TokenizerConfig } from './tokenizer-settings.ts';

/** The file with the settings of a GLiNER model. */
export const GLINER_CONFIG = 'gliner_config.json';

/** Whether files of a model, with paths relative to it, are those of a GLiNER model. */
export const isGlinerAmong = (files: readonly { readonly path: string }[]): boolean =>
  files.some(({ path }) => path === GLINER_CONFIG || path === `onnx/${GLINER_CONFIG}`);

/** The command that exports a GLiNER model, for messages. */
export const glinerExport = (source: string): string =>
  `python -c "from gliner import GLiNER; GLiNER.from_pretrained('${source}').export_to_onnx('./exported')"`;

export interface GlinerConfig {
  readonly settings: EntitySettings;
  /** The settings of the encoder, as its config.json would have them. */
  readonly encoder: ModelConfig;
  /** Whether the encoder can read any number of tokens, because it has no table of positions. */
  readonly readsAnyLength: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the settings of a GLiNER model. Models of other kinds with the same file are refused. */
export async function readGlinerConfig(path: string): Promise<GlinerConfig> {
  const fields = await readJson<Fields>(path);
  refuseOtherKinds(fields, path);
  const { encoder_config: stated } = fields;
  const encoder: ModelConfig & Fields = isMapping(stated) ? stated : {};
  const readsAnyLength = isRelative(encoder, fields['model_name']);
  const { max_position_embeddings: _, ...withoutPositions } = encoder;
  return {
    settings: {
      level: fields['span_mode'] === 'token_level' ? 'word' : 'span',
      maxWords: count(fields, 'max_len', 384, path),
      maxWidth: count(fields, 'max_width', 12, path),
      typeToken: text(fields, 'ent_token', '<<ENT>>', path),
      separatorToken: text(fields, 'sep_token', '<<SEP>>', path),
      tokensOfWord: tokensOfWord(fields, path),
    },
    encoder: readsAnyLength ? withoutPositions : encoder,
    readsAnyLength,
  };
}

/** Members of models that need other inputs, or return more than entities. */
const OTHER_KINDS: readonly (readonly [member: string, kind: string])[] = [
  ['labels_encoder', 'reads labels with an encoder of their own'],
  ['labels_decoder', 'generates labels with a decoder'],
  ['decoder_config', 'generates labels with a decoder'],
  ['relations_layer', 'finds relations'],
  ['precomputed_prompts_mode', 'has a fixed set of labels'],
];

function refuseOtherKinds(fields: Fields, path: string): void {
  const found = OTHER_KINDS.find(([member]) => fields[member]);
  if (found) {
    const [member, kind] = found;
    throw configError(
      `${path} has \`${member}\`: the model ${kind}, which is not supported. Only GLiNER models that read labels before the text can be built.`,
    );
  }
  const splitter = fields['words_splitter_type'] ?? 'whitespace';
  if (splitter === 'whitespace') return;
  throw configError(
    `${path} has the \`words_splitter_type\` ${JSON.stringify(splitter)}, but only "whitespace" is supported. Choose another model.`,
  );
}

/** DeBERTa-v3 and T5 have positions relative to other tokens only. Older files name the encoder, but do not describe it. */
function isRelative(encoder: Fields, name: unknown): boolean {
  const { model_type: family = '' } = encoder;
  if (family === 'deberta-v2') return encoder['position_biased_input'] === false;
  return family === '' ? /deberta-v3/.test(String(name)) : /^(?:m|um)?t5$/.test(String(family));
}

const TOKENS_OF_WORD: Readonly<Record<string, EntitySettings['tokensOfWord']>> = {
  first: 'first',
  last: 'last',
  mean: 'all',
  max: 'all',
};

function tokensOfWord(fields: Fields, path: string): EntitySettings['tokensOfWord'] {
  const mode = text(fields, 'subtoken_pooling', 'first', path);
  const found = Object.hasOwn(TOKENS_OF_WORD, mode) ? TOKENS_OF_WORD[mode] : undefined;
  if (found) return found;
  throw invalid(fields, 'subtoken_pooling', `one of ${Object.keys(TOKENS_OF_WORD).join(', ')}`, path);
}

function count(fields: Fields, key: string, missing: number, path: string): number {
  const value = fields[key] ?? missing;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalid(fields, key, 'a whole number of at least 1', path);
}

function text(fields: Fields, key: string, missing: string, path: string): string {
  const value = fields[key] ?? missing;
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(fields, key, 'a text', path);
}

const invalid = (fields: Fields, key: string, rule: string, path: string): Error =>
  configError(
    `${path}: \`${key}\` is ${JSON.stringify(fields[key])}, but must be ${rule}. Use the file that belongs to the model.`,
  );

/** Room for entity types, and for twice as many tokens as the words of a window have on average. */
const MIN_TOKENS = 512;
const TOKENS_PER_WORD = 4;

/** The maximum number of tokens, if neither the tokenizer nor the encoder limits it. */
export function unlimitedLength(
  { readsAnyLength, settings }: GlinerConfig,
  { model_max_length: stated }: TokenizerConfig,
): number | undefined {
  const isLimited = typeof stated === 'number' && Number.isSafeInteger(stated);
  return readsAnyLength && !isLimited ? Math.max(MIN_TOKENS, settings.maxWords * TOKENS_PER_WORD) : undefined;
}
