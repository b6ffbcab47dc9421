import { AppError } from '#contract/errors.ts';
import { harmonicMean } from '../harmonic-mean.ts';
import { countShared, ngrams } from '../ngrams.ts';
import { checkLength, referencesOf, type TextRow } from '../text-row.ts';
import { commonLength, commonPositions, type Sequence } from './common-subsequence.ts';
import { rougeTokens } from './tokens.ts';

interface RougeScore {
  readonly precision: number;
  readonly recall: number;
  readonly fmeasure: number;
}

export const ROUGE_TYPES = ['rouge1', 'rouge2', 'rougeL', 'rougeLsum'] as const;
export type RougeScores = Readonly<Record<(typeof ROUGE_TYPES)[number], RougeScore>>;

/**
 * ROUGE of one row, equal to Google's rouge-score (https://github.com/google-research/google-research/tree/master/rouge). With
 * several references, each type has the scores of the reference with its best F-measure.
 */
export function rougeScores(row: TextRow, useStemmer: boolean): RougeScores {
  checkLength(row);
  const all = referencesOf(row).map((reference) =>
    scoresOf({ prediction: row.prediction, reference }, useStemmer),
  );
  const best = (type: keyof RougeScores): RougeScore =>
    all.map((scores) => scores[type]).reduce((one, other) => (other.fmeasure > one.fmeasure ? other : one));
  return {
    rouge1: best('rouge1'),
    rouge2: best('rouge2'),
    rougeL: best('rougeL'),
    rougeLsum: best('rougeLsum'),
  };
}

function scoresOf(row: TextRow, useStemmer: boolean): RougeScores {
  const linesOf = (text: string) => text.split('\n').map((line) => rougeTokens(line, useStemmer));
  const [references, predictions] = [linesOf(row.reference), linesOf(row.prediction)];
  const [reference, prediction] = [references.flat(), predictions.flat()];
  checkWork(reference.length, prediction.length);
  const toNumbers = wordNumbers();
  const ofNgrams = (order: number) => {
    const [actual, predicted] = [ngrams(reference, order), ngrams(prediction, order)];
    return scoreOf(countShared(actual, predicted), predicted.length, actual.length);
  };
  return {
    rouge1: ofNgrams(1),
    rouge2: ofNgrams(2),
    rougeL: scoreOf(
      commonLength(toNumbers(reference), toNumbers(prediction)),
      prediction.length,
      reference.length,
    ),
    rougeLsum: scoreOf(
      unionHits(references.map(toNumbers), predictions.map(toNumbers)),
      prediction.length,
      reference.length,
    ),
  };
}

/**
 * Maximum number of word pairs: two texts of 8,192 words. The work for rougeL grows with the product of the lengths, and this
 * much takes about a second.
 */
const MAX_PAIRS = 2 ** 26;

function checkWork(reference: number, prediction: number): void {
  if (reference * prediction <= MAX_PAIRS) return;
  throw new AppError(
    'TooLargeError',
    `The prediction has ${prediction} words and the reference ${reference}. ROUGE supports at most ${MAX_PAIRS} word pairs; shorten a text or omit the row.`,
  );
}

function scoreOf(hits: number, predicted: number, actual: number): RougeScore {
  const precision = hits / Math.max(predicted, 1);
  const recall = hits / Math.max(actual, 1);
  return { precision, recall, fmeasure: harmonicMean(precision, recall) };
}

/** Returns the same number for equal words. */
function wordNumbers(): (words: readonly string[]) => Sequence {
  const numbers = new Map<string, number>();
  return (words) =>
    Uint32Array.from(words, (word) => {
      const number = numbers.get(word) ?? numbers.size;
      numbers.set(word, number);
      return number;
    });
}

/** Words of the reference's lines that occur in any line of the prediction, counted at most as often as in both texts. */
function unionHits(references: readonly Sequence[], predictions: readonly Sequence[]): number {
  const left = [references, predictions].map(countWords);
  let hits = 0;
  for (const reference of references) {
    const common = new Set(predictions.flatMap((prediction) => commonPositions(reference, prediction)));
    for (const [position, word] of reference.entries()) {
      if (!common.has(position) || left.some((counts) => (counts.get(word) ?? 0) === 0)) continue;
      hits += 1;
      for (const counts of left) counts.set(word, (counts.get(word) ?? 0) - 1);
    }
  }
  return hits;
}

function countWords(lines: readonly Sequence[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const line of lines) for (const word of line) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
