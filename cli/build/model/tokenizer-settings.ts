import type { TokenizerSettings } from '../../../runtime/contract/manifest.ts';
import type { ModelConfig } from './labels.ts';

/** What we read of tokenizer_config.json, and of tokenizer.json beside its model. */
export interface TokenizerConfig {
  readonly model_max_length?: unknown;
  readonly max_length?: unknown;
  readonly truncation_side?: unknown;
  readonly pad_token?: unknown;
}
export interface TokenizerJson {
  readonly normalizer?: Normalizer | null;
  readonly truncation?: { readonly max_length?: unknown } | null;
  readonly padding?: { readonly pad_id?: unknown } | null;
  readonly model?: { readonly continuing_subword_prefix?: unknown; readonly unk_token?: unknown } | null;
}

interface Normalizer {
  readonly type: string;
  readonly lowercase?: boolean;
  /** Of a sequence, in their order. */
  readonly normalizers?: readonly Normalizer[];
}

/** The library's own default where nothing says how long a text may be. */
const DEFAULT_MAX_LENGTH = 512;

/** How to cut and pad: from tokenizer_config.json, then config.json, then what is left of earlier use in tokenizer.json. */
export function tokenizerSettings(
  tokenizerConfig: TokenizerConfig,
  tokenizerJson: TokenizerJson,
  modelConfig: ModelConfig,
  idOf: (token: string) => number | undefined,
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
    maxLength: maxLength(tokenizerConfig, tokenizerJson, modelConfig, padId),
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
  tokenizerJson: TokenizerJson,
  modelConfig: ModelConfig,
  padId: number,
): number {
  const positions = integer(modelConfig.max_position_embeddings);
  // RoBERTa counts positions from after the padding id, so that many of its table's rows are not for tokens.
  const offset = OFFSET_POSITIONS.has(String(modelConfig.model_type)) ? padId + 1 : 0;
  const possible = positions === undefined ? Infinity : positions - offset;
  const length = Math.min(integer(tokenizerConfig.model_max_length) ?? Infinity, possible);
  if (Number.isFinite(length)) return length;
  // These are what the tokenizer was last used with, for example in training: not a limit of the model.
  return (
    integer(tokenizerConfig.max_length) ?? integer(tokenizerJson.truncation?.max_length) ?? DEFAULT_MAX_LENGTH
  );
}

const OFFSET_POSITIONS = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet', 'longformer']);

/** A whole number a tokenizer could mean; "no limit" is written as 1e30 by the library that makes these files. */
function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function tokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined;
  return typeof value.content === 'string' ? value.content : undefined;
}
