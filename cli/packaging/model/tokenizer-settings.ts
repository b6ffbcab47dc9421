import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { ModelConfig } from './model-config.ts';
import { startsAfterPadding } from './find-first-position.ts';
import { tokenizerName } from '../tokenizer/choose-family.ts';
import { FAMILIES } from '../tokenizer/families.ts';

/** The members of tokenizer_config.json and tokenizer.json that are used. */
export interface TokenizerConfig {
  readonly tokenizer_class?: unknown;
  readonly do_lower_case?: unknown;
  readonly strip_accents?: unknown;
  readonly tokenize_chinese_chars?: unknown;
  readonly model_max_length?: unknown;
  readonly max_length?: unknown;
  readonly truncation_side?: unknown;
  readonly pad_token?: unknown;
  readonly mask_token?: unknown;
  readonly eos_token?: unknown;
  readonly add_eos_token?: unknown;
  /** The Python code of the tokenizer, if it has its own. A build never runs it. */
  readonly auto_map?: unknown;
  readonly cls_token?: unknown;
  readonly unk_token?: unknown;
}
export interface SourceTokenizer {
  readonly normalizer?: Normalizer | null;
  readonly truncation?: { readonly max_length?: unknown } | null;
  readonly padding?: { readonly pad_id?: unknown } | null;
  readonly post_processor?: PostProcessor | null;
  readonly model?: {
    readonly type?: unknown;
    readonly continuing_subword_prefix?: unknown;
    readonly unk_token?: unknown;
  } | null;
}

interface PostProcessor {
  readonly type: string;
  /** The tokens and texts of the result, for a text and for a pair of texts. */
  readonly single?: readonly object[];
  readonly pair?: readonly object[];
  readonly special_tokens?: Readonly<Record<string, object>>;
}

interface Normalizer {
  readonly type: string;
  readonly lowercase?: boolean;
  /** The normalizers of a sequence, in order. */
  readonly normalizers?: readonly Normalizer[];
}

/** The library's default if no file sets the maximum length. */
const DEFAULT_MAX_LENGTH = 512;

/**
 * Determines truncation and padding: from tokenizer_config.json, then config.json, then settings
 * stored in tokenizer.json.
 */
export function tokenizerSettings(
  tokenizerConfig: TokenizerConfig,
  tokenizerJson: SourceTokenizer,
  modelConfig: ModelConfig,
  idOf: (token: string) => number | undefined,
  usualLength = DEFAULT_MAX_LENGTH,
): Omit<TokenizerSettings, 'vocabularySize'> {
  const padToken = tokenText(tokenizerConfig.pad_token);
  const padId =
    (padToken === undefined ? undefined : idOf(padToken)) ??
    integer(tokenizerJson.padding?.pad_id) ??
    integer(modelConfig.pad_token_id) ??
    0;
  const unknown = tokenText(tokenizerJson.model?.unk_token);
  const unknownId = unknown === undefined ? undefined : idOf(unknown);
  return {
    maxLength: maxLength(tokenizerConfig, tokenizerJson, modelConfig, padId) ?? usualLength,
    truncationSide: tokenizerConfig.truncation_side === 'left' ? 'left' : 'right',
    padId,
    marksSubwords: Boolean(tokenizerJson.model?.continuing_subword_prefix),
    ...(unknown === undefined || unknownId === undefined
      ? {}
      : { unknown: { id: unknownId, token: unknown } }),
  };
}

function maxLength(
  tokenizerConfig: TokenizerConfig,
  tokenizerJson: SourceTokenizer,
  modelConfig: ModelConfig,
  padId: number,
): number | undefined {
  const positions = integer(modelConfig.max_position_embeddings);
  const offset = startsAfterPadding(modelConfig.model_type) ? padId + 1 : 0;
  const possible = positions === undefined ? Infinity : positions - offset;
  const length = Math.min(integer(tokenizerConfig.model_max_length) ?? Infinity, possible);
  if (Number.isFinite(length)) return length;
  // These settings are left over from the tokenizer's last use, for example in training; they are
  // not a limit of the model.
  return integer(tokenizerConfig.max_length) ?? integer(tokenizerJson.truncation?.max_length);
}

/** A plausible integer; the library that writes these files stores "no limit" as 1e30. */
function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The text of a token, which can be a string or an object with flags. */
export function tokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined;
  return typeof value.content === 'string' ? value.content : undefined;
}

/** Adds lower-casing to a tokenizer, as sentence-transformers does for models with `do_lower_case`. */
export function withLowerCase<Json extends SourceTokenizer>(json: Json): Json {
  const { normalizer } = json;
  if (lowers(normalizer)) return json;
  const first = { type: 'Lowercase' };
  return { ...json, normalizer: normalizer ? { type: 'Sequence', normalizers: [first, normalizer] } : first };
}

function lowers(normalizer: SourceTokenizer['normalizer']): boolean {
  if (!normalizer) return false;
  return (
    normalizer.type === 'Lowercase' ||
    normalizer.lowercase === true ||
    (normalizer.normalizers ?? []).some((part) => lowers(part))
  );
}

/**
 * Applies settings of tokenizer_config.json that differ from tokenizer.json, as the BERT tokenizer
 * classes do. Other classes read these settings only when they convert a vocabulary. Missing
 * settings change nothing.
 */
export function withBertSettings<Json extends SourceTokenizer>(
  json: Json,
  tokenizerConfig: TokenizerConfig,
  modelConfig: ModelConfig,
): Json {
  const { normalizer } = json;
  const name = tokenizerName({ tokenizerConfig, modelConfig });
  const family = FAMILIES.find((known) => known.name === name);
  if (family?.kind !== 'wordpiece' || normalizer?.type !== 'BertNormalizer') return json;
  const { do_lower_case, strip_accents, tokenize_chinese_chars } = tokenizerConfig;
  return {
    ...json,
    normalizer: {
      ...normalizer,
      ...(typeof do_lower_case === 'boolean' ? { lowercase: do_lower_case } : {}),
      ...(typeof strip_accents === 'boolean' || strip_accents === null ? { strip_accents } : {}),
      // MPNet's class leaves this setting of tokenizer.json unchanged.
      ...(typeof tokenize_chinese_chars === 'boolean' && name !== 'MPNet'
        ? { handle_chinese_chars: tokenize_chinese_chars }
        : {}),
    },
  };
}

/** Classes that end each text with `eos_token` if `add_eos_token` is set, whatever tokenizer.json contains. */
const ENDS_TEXTS = /^(?:Code)?(?:Llama|Gemma)Tokenizer(?:Fast)?$/;
/** The code of gte-Qwen2, which does so, too. tokenizer.json does not contain the end token. */
const ENDING_CODE = /^tokenization_qwen\./;

const PLAIN_TEMPLATE: PostProcessor = {
  type: 'TemplateProcessing',
  single: [{ Sequence: { id: 'A', type_id: 0 } }],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
};

/** The template that an end token can be added to. The code of gte-Qwen2 replaces one that adds no tokens. */
function templateOf(
  { post_processor: after }: SourceTokenizer,
  hasOwnCode: boolean,
): PostProcessor | undefined {
  if (after?.type === 'TemplateProcessing') return after;
  return hasOwnCode && (after?.type ?? 'ByteLevel') === 'ByteLevel' ? PLAIN_TEMPLATE : undefined;
}

/**
 * Adds the end token of models that were published with transformers 4, whose vectors are those of
 * this token. Newer versions ignore the setting.
 */
export function withEndToken<Json extends SourceTokenizer>(
  json: Json,
  { tokenizer_class: name, add_eos_token: isAdded, eos_token: token, auto_map: code }: TokenizerConfig,
  idOf: (token: string) => number | undefined,
): Json {
  const end = tokenText(token);
  const id = end === undefined ? undefined : idOf(end);
  const hasOwnCode = [memberOf(code, 'AutoTokenizer')].flat().some((one) => ENDING_CODE.test(String(one)));
  if (isAdded !== true || end === undefined || id === undefined) return json;
  const after = hasOwnCode || ENDS_TEXTS.test(String(name)) ? templateOf(json, hasOwnCode) : undefined;
  if (after === undefined || Object.hasOwn(after.special_tokens ?? {}, end)) return json;
  const { single = [], pair = [], special_tokens = {} } = after;
  const endOf = (type: number): object => ({ SpecialToken: { id: end, type_id: type } });
  const second = pair.findIndex((piece) => JSON.stringify(piece).includes('"B"'));
  // The second text starts with its own first token, if there is one.
  const start = second > 0 && !JSON.stringify(pair[second - 1]).includes('"A"') ? second - 1 : second;
  return {
    ...json,
    post_processor: {
      ...after,
      single: [...single, endOf(0)],
      pair: [...pair.slice(0, start), endOf(0), ...pair.slice(start), endOf(1)],
      special_tokens: { ...special_tokens, [end]: { id: end, ids: [id], tokens: [end] } },
    },
  };
}
