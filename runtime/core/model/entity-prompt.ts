import type { EntitySettings } from '#contract/entity-settings.ts';
import { inputError } from '#contract/errors.ts';
import type { PaddedRows } from './pad-rows.ts';
import type { TokenizedText, TextWords, WordSource } from './tokenized-text.ts';
import { cutIntoWordWindows, type WordWindow } from './word-windows.ts';
import { pushAll } from '../values/push-all.ts';

/** Token ids of the entity types and of a text's words. */
export interface EntityPrompt {
  /** The special tokens before and after every text. */
  readonly head: readonly number[];
  readonly tail: readonly number[];
  /** The entity types, with the tokens between them; empty if a second encoder reads them. */
  readonly types: readonly number[];
  /** The entity types for a second encoder. */
  readonly labels?: PaddedRows | undefined;
}

/** The maximum share of a model's tokens for entity types. The rest is reserved for the text. */
const MAX_TYPES_SHARE = 0.75;

/** Returns the number of tokens that remain for the words of a text. */
function roomForWords({ head, tail, types }: EntityPrompt, maxLength: number): number {
  const most = Math.floor(maxLength * MAX_TYPES_SHARE);
  if (types.length <= most) return maxLength - head.length - tail.length - types.length;
  throw inputError(
    `labels have ${types.length} tokens, but at most ${most} of this model's ${maxLength} tokens can be labels. Send fewer or shorter labels.`,
  );
}

export interface WordLimits {
  readonly settings: EntitySettings;
  readonly maxLength: number;
  readonly stride: number;
  readonly maxWindows: number;
  readonly truncationSide: 'left' | 'right';
}

/**
 * Joins the tokens of entity types and words to the model's input: one window, or several
 * overlapping ones. `isCut` states whether the text has more words than `words`.
 */
export function joinWords(
  prompt: EntityPrompt,
  words: readonly (readonly number[])[],
  source: WordSource,
  isCut: boolean,
  limits: WordLimits,
): TokenizedText {
  const { settings, maxLength, stride, maxWindows, truncationSide } = limits;
  const maxTokens = roomForWords(prompt, maxLength);
  const rules = { maxWords: settings.maxWords, maxTokens, stride };
  const cut = (from: number, to: number): WordWindow[] =>
    cutIntoWordWindows(
      words.slice(from, to).map((word) => word.length),
      rules,
    );
  const all = cut(0, words.length);
  const extra = Math.max(0, all.length - maxWindows);
  // Windows are computed from the start of the text, so that omitting the first or last windows
  // does not change the others.
  const from = truncationSide === 'left' ? (all[extra]?.start ?? 0) : 0;
  const to = truncationSide === 'left' ? words.length : (all[all.length - 1 - extra]?.stop ?? words.length);
  const kept = words.slice(from, to);
  const windows = extra > 0 ? cut(from, to) : all;
  const truncated = isCut || extra > 0;
  const whole: WordSource = { ...source, offsets: source.offsets.slice(from * 2, to * 2) };
  const build = (tokens: readonly (readonly number[])[], rest: Partial<TextWords>): TokenizedText => ({
    ...inputOf(prompt, tokens, { maxTokens, ...settings }, rest),
    truncated: false,
    ...(prompt.labels ? { labels: prompt.labels } : {}),
  });
  if (windows.length <= 1) return { ...build(kept, { source: whole }), truncated };
  const first = build([], { source: whole });
  return {
    ...first,
    truncated,
    windows: windows.map((window) => build(kept.slice(window.start, window.stop), { window })),
  };
}

/** The input for a text without words: a token for one word, whose entities are ignored. */
const NO_WORDS: readonly (readonly number[])[] = [[0]];

function inputOf(
  { head, types, tail }: EntityPrompt,
  words: readonly (readonly number[])[],
  { maxTokens, tokensOfWord }: Pick<EntitySettings, 'tokensOfWord'> & { readonly maxTokens: number },
  rest: Partial<TextWords>,
): Pick<TokenizedText, 'ids' | 'words'> {
  const ids = [...head, ...types];
  const mask = ids.map(() => 0);
  for (const [at, tokens] of (words.length === 0 ? NO_WORDS : words).entries()) {
    // Only shortens words that are longer than a window.
    const fitting = tokens.slice(0, maxTokens);
    const chosen = tokensOfWord === 'last' ? fitting.length - 1 : 0;
    for (const [position, id] of fitting.entries()) {
      ids.push(id);
      mask.push(tokensOfWord === 'all' || position === chosen ? at + 1 : 0);
    }
  }
  pushAll(ids, tail);
  pushAll(
    mask,
    tail.map(() => 0),
  );
  return { ids: Int32Array.from(ids), words: { mask: Int32Array.from(mask), count: words.length, ...rest } };
}
