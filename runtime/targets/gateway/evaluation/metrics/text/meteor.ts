import type { MetricMaker } from '../metric.ts';
import { meanMetric } from './mean-metric.ts';
import { type TextRow, checkLength, referencesOf } from './text-row.ts';
import { stem } from './porter-stem.ts';
import { greatest } from '#core/numbers/extremes.ts';

export const meteor: MetricMaker<TextRow> = (_options, saved) =>
  meanMetric(['meteor_mean'], (row) => ({ meteor_mean: meteorScore(row) }), saved);

/** Weight of precision relative to recall, and penalty for word order (Lavie and Agarwal, 2007). */
const ALPHA = 0.9;
const BETA = 3;
const GAMMA = 0.5;

/**
 * METEOR of one row, equal to NLTK's with exact and stem matching only, because synonyms require WordNet. Two
 * equal texts of n words score 1 - 0.5 / n³ rather than 1, because the fragmentation penalty also applies to
 * a single chunk. With several references, the best one counts.
 */
function meteorScore(row: TextRow): number {
  checkLength(row);
  const prediction = meteorTokens(row.prediction);
  return greatest(referencesOf(row).map((reference) => scoreOf(prediction, meteorTokens(reference))));
}

function scoreOf(prediction: readonly string[], reference: readonly string[]): number {
  const partners = align(prediction, reference);
  const matches = partners.filter((partner) => partner !== undefined).length;
  if (matches === 0) return 0;
  const precision = matches / prediction.length;
  const recall = matches / reference.length;
  const mean = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall);
  return mean * (1 - GAMMA * (countChunks(partners) / matches) ** BETA);
}

/** For each word in the prediction, the index of its match in the reference. */
type Partners = (number | undefined)[];

function align(prediction: readonly string[], reference: readonly string[]): Partners {
  const partners: Partners = prediction.map(() => undefined);
  const isTaken = reference.map(() => false);
  for (const formOf of [(word: string) => word, stem]) {
    const free = new Map<string, number[]>();
    reference.forEach((word, at) => {
      if (isTaken[at]) return;
      const form = formOf(word);
      const positions = free.get(form) ?? [];
      positions.push(at);
      free.set(form, positions);
    });
    // Matches from the end, each with the last free word: the choice among several equal words determines the
    // chunks.
    for (let at = prediction.length - 1; at >= 0; at -= 1) {
      if (partners[at] !== undefined) continue;
      const partner = free.get(formOf(prediction[at] ?? ''))?.pop();
      partners[at] = partner;
      if (partner !== undefined) isTaken[partner] = true;
    }
  }
  return partners;
}

/** Number of runs of words that are adjacent in both texts. */
const countChunks = (partners: Partners): number =>
  partners.filter((partner, at) => {
    const before = partners[at - 1];
    return partner !== undefined && (before === undefined || partner !== before + 1);
  }).length;

/**
 * Letters with their marks, digits and connectors such as `_` (https://unicode.org/reports/tr18/#word), or
 * the text between words.
 */
const WORDS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

/**
 * Words and runs of punctuation, like NLTK's `wordpunct_tokenize`: needs no model and is identical for all
 * languages with spaces.
 *
 * @internal Exported for tests only.
 */
export const meteorTokens = (text: string): string[] =>
  text.match(WORDS)?.map((word) => word.toLowerCase()) ?? [];
