import { configError } from '#contract/errors.ts';
import type { InputName } from '#contract/manifest.ts';
import {
  type MultiVectorSettings,
  TEXT_ROLES,
  type TextRole,
  type TextRules,
} from '#contract/multi-vector.ts';
import type { MultiVectorConfig } from '../../config/build-config.ts';
import type { MultiVectorDefaults } from './multi-vector-defaults.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** The facts about a multi_vector model before its graph is read. */
export interface MultiVectorSource {
  /** The config file, for messages. */
  readonly file: string;
  readonly config: MultiVectorConfig;
  readonly defaults: MultiVectorDefaults;
  /** Tokens that can fill queries, in order of preference. */
  readonly fillers: readonly string[];
}

/** The longest text that the settings allow: more tokens than the model can run are not needed. */
export const longestText = (source: MultiVectorSource, possible: number): number =>
  greatest(TEXT_ROLES.map((role) => lengthOf(source, role, possible)));

/** Combines the config file with the model's own files. `possible` is the maximum number of tokens that the model can run. */
export async function multiVectorSettings(
  source: MultiVectorSource,
  prepared: PreparedTokenizer,
  { maxLength: possible, inputs }: { readonly maxLength: number; readonly inputs: readonly InputName[] },
): Promise<MultiVectorSettings> {
  const { config } = source;
  const rules = (role: TextRole): TextRules => {
    const marker = markerOf(source, prepared, role);
    return { ...(marker ? { marker } : {}), maxLength: lengthOf(source, role, possible) };
  };
  const expansion = expansionOf(source, prepared, inputs);
  const skipped = await skippedIds(source, prepared);
  return {
    query: { ...rules('query'), ...(expansion ? { expansion } : {}) },
    document: { ...rules('document'), ...(skipped.length > 0 ? { skipped } : {}) },
    normalize: config.normalize ?? true,
  };
}

function lengthOf({ config, defaults, file }: MultiVectorSource, role: TextRole, possible: number): number {
  const chosen = config.lengths[role];
  if (chosen === undefined) return Math.min(defaults.lengths[role], possible);
  if (chosen <= possible) return chosen;
  throw configError(
    `${file}: \`${role}_length\` is ${chosen}, but the model reads at most ${possible} tokens. Set it to at most that.`,
  );
}

function markerOf(
  { config, defaults, file }: MultiVectorSource,
  { tokenizer }: PreparedTokenizer,
  role: TextRole,
): TextRules['marker'] {
  const token = config.prefixes[role] ?? defaults.prefixes[role];
  if (token === '') return undefined;
  const id = tokenizer.idOf(token);
  if (id !== undefined) return { id, token };
  throw configError(
    `${file}: \`${role}_prefix\` is ${JSON.stringify(token)}, but the tokenizer has no such token. Set it to the token that marks a ${role}, or to "" for none.`,
  );
}

function expansionOf(
  { config, defaults, fillers, file }: MultiVectorSource,
  { tokenizer }: PreparedTokenizer,
  inputs: readonly InputName[],
): TextRules['expansion'] {
  if (!(config.expandsQueries ?? defaults.expandsQueries)) return undefined;
  const isAttended = config.attendsToExpansion ?? defaults.attendsToExpansion;
  if (!isAttended && !inputs.includes('attention_mask')) {
    throw configError(
      `${file}: queries are filled with tokens that others do not attend to, but the graph has no input attention_mask. Set \`do_query_expansion: false\` or \`attend_to_expansion_tokens: true\`, whichever the model was trained with.`,
    );
  }
  for (const token of fillers) {
    const id = tokenizer.idOf(token);
    if (id !== undefined) return { id, token, isAttended };
  }
  throw configError(
    `${file}: queries are filled with the mask token, but the tokenizer has none. Set \`do_query_expansion: false\`, or add \`mask_token\` to tokenizer_config.json.`,
  );
}

/** Both libraries take the unknown token for words that the vocabulary does not have. */
async function skippedIds(
  { config, defaults }: MultiVectorSource,
  { tokenizer, settings }: PreparedTokenizer,
): Promise<number[]> {
  const { skipped } = defaults;
  const ofTokens = (tokens: readonly string[]): number[] =>
    tokens.flatMap((token) => tokenizer.idOf(token) ?? settings.unknown?.id ?? []);
  const found =
    config.skippedTokens !== undefined
      ? ofTokens(config.skippedTokens)
      : skipped.kind === 'tokens'
        ? ofTokens(skipped.tokens)
        : await firstTokens(tokenizer, skipped.texts);
  return [...new Set(found)].sort((a, b) => a - b);
}

/** The first token of each text, without those that the tokenizer puts before texts. */
async function firstTokens(
  tokenizer: PreparedTokenizer['tokenizer'],
  texts: readonly string[],
): Promise<number[]> {
  const [empty = [], ...encoded] = await tokenizer.encode(['', ...texts]);
  const start = encoded.every(([first]) => first === empty[0]) ? Math.min(1, empty.length) : 0;
  return encoded.flatMap((ids) => ids[start] ?? []);
}
