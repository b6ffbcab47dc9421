import type { FoundItem } from './search-kinds.ts';
import { standardScores } from './standard-scores.ts';

/** An item that contains words of a query. */
export interface WordMatch {
  readonly found: FoundItem;
  readonly score: number;
}

/**
 * Minimum meaning of items that contain no word of the query, in standard deviations above the mean of all
 * items: similarities of different encoders have different ranges.
 */
const MIN_MEANING = 1;

/**
 * Weight of the best match by words, in standard deviations of meaning. A short query is often part of
 * a name, whose vector has little meaning (docs/decisions/0202).
 */
const wordWeight = (words: number): number => 1 + 6 / Math.max(1, words) ** 2;

export interface Ranking {
  readonly items: readonly FoundItem[];
  readonly matches: readonly WordMatch[];
  /** Similarity of each item to the query; undefined for items without a vector. */
  readonly similarities: readonly (number | undefined)[];
  /** Number of words in the query. */
  readonly words: number;
}

/** Merges the matches by words with the items that are similar in meaning. Returns the best items first. */
export function rankItems({ items, matches, similarities, words }: Ranking): FoundItem[] {
  const [best] = matches;
  const weight = best ? wordWeight(words) / best.score : 0;
  const byItem = new Map(matches.map(({ found, score }) => [found.item, score * weight]));
  const meanings = standardScores(similarities);
  const ranked: { readonly found: FoundItem; readonly score: number }[] = [];
  for (const [at, found] of items.entries()) {
    const byWords = byItem.get(found.item);
    // An item without a vector is not worse than the items that are listed for their meaning alone.
    const byMeaning = meanings[at] ?? (byWords === undefined ? 0 : MIN_MEANING);
    if (byWords === undefined && byMeaning < MIN_MEANING) continue;
    ranked.push({ found, score: (byWords ?? 0) + byMeaning });
  }
  return ranked.sort((one, other) => other.score - one.score).map(({ found }) => found);
}
