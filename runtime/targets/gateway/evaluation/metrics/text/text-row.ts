import { lookup } from '#core/values/lookup.ts';
import { AppError } from '#contract/errors.ts';
import type { MetricRow } from '../metric.ts';

/** A row can have several references, of which the best one counts. */
export interface TextRow extends MetricRow<string> {
  readonly otherReferences?: readonly string[] | undefined;
}

export const referencesOf = ({ reference, otherReferences = [] }: TextRow): readonly string[] => [
  reference,
  ...otherReferences,
];

/** Maximum text length. Counting the n-grams of such a text takes several hundred megabytes and several seconds. */
const MAX_CHARACTERS = 250_000;

export function checkLength(row: TextRow): void {
  for (const [name, text] of [
    ['prediction', row.prediction],
    ...referencesOf(row).map((reference) => ['reference', reference] as const),
  ] as const) {
    if (text.length > MAX_CHARACTERS) {
      throw new AppError(
        'TooLargeError',
        `The ${name} has ${text.length} characters. Text metrics support at most ${MAX_CHARACTERS}; shorten it or omit the row.`,
      );
    }
  }
}

/** All runs of `order` tokens, each as one string. Tokens must not contain spaces, so that the strings are unambiguous. */
export function ngrams(tokens: readonly string[], order: number): readonly string[] {
  if (order === 1) return tokens;
  const found: string[] = [];
  for (let end = order; end <= tokens.length; end += 1) found.push(tokens.slice(end - order, end).join(' '));
  return found;
}

/** All runs of `order` code points. */
export function characterNgrams(text: string, order: number): readonly string[] {
  const found: string[] = [];
  const ends = [0];
  for (const character of text) {
    const start = ends[ends.length - order];
    const end = (ends.at(-1) ?? 0) + character.length;
    if (start !== undefined) found.push(text.slice(start, end));
    ends.push(end);
  }
  return found;
}

/** The multiset union of lists: each item as often as in the list that has it most often. */
export function unionOf(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  if (others.length === 0) return first;
  const most = new Map<string, number>();
  for (const list of lists) {
    const counts = new Map<string, number>();
    for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
    for (const [one, count] of counts) most.set(one, Math.max(count, most.get(one) ?? 0));
  }
  return Array.from(most).flatMap(([one, count]) => Array.from({ length: count }, () => one));
}

/** Size of the multiset intersection of two lists. */
export function countShared(left: readonly string[], right: readonly string[]): number {
  const free = new Map<string, number>();
  for (const one of right) free.set(one, (free.get(one) ?? 0) + 1);
  let shared = 0;
  for (const one of left) {
    const count = free.get(one) ?? 0;
    if (count === 0) continue;
    shared += 1;
    free.set(one, count - 1);
  }
  return shared;
}

/**
 * White space at which Python, and thus the reference tools, split words. `\s` also includes U+FEFF, and
 * lacks U+001C to U+001F and U+0085.
 */
// oxlint-disable-next-line no-control-regex -- They are among the separators.
const WHITE_SPACE = /[\p{White_Space}\u001C-\u001F]+/u;

export const wordsOfText = (text: string): string[] => text.split(WHITE_SPACE).filter((word) => word !== '');

export function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && WHITE_SPACE.test(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Trims without a pattern anchored to the end, which would try every run of spaces in the text. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Metrics that users may request but that are not available, each with an alternative. */
export const MISSING_TEXT_METRICS = lookup<string>({
  comet:
    'comet is not available, because no encoder executable supports its model, which scores the vectors of three texts together. Use chrf, bertscore with an encoder, or g_eval_translation with a judge.',
});
