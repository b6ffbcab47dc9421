import type { MetricMaker, RowScores } from '../metric.ts';
import { meanMetric, harmonicMean } from './mean-metric.ts';
import { type TextRow, checkLength, referencesOf, countShared, ngrams } from './text-row.ts';
import { AppError } from '#contract/errors.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { stem } from './porter-stem.ts';

interface RougeOptions {
  /** Whether to compare stems instead of words (English only). Default: false, as in Hugging Face's `evaluate`. */
  readonly useStemmer?: boolean | undefined;
  /** Maximum number of pairs of words, and of lines, which count as 8 words. */
  readonly maxPairs?: number | undefined;
}

/**
 * Default maximum: two texts of 8,192 words. The work for rougeL grows with the product of the lengths; this
 * many pairs take about a second.
 */
const MAX_PAIRS = 2 ** 26;

/** Mean F-measure (`rouge1_mean`), precision and recall of ROUGE-1, -2, -L and -Lsum over rows. */
export const rouge: MetricMaker<TextRow, RougeOptions> = (
  { useStemmer = false, maxPairs = MAX_PAIRS },
  saved,
) =>
  meanMetric(
    ROUGE_TYPES.flatMap(namesOf),
    (row) => flatten(rougeScores(row, { useStemmer, maxPairs })),
    saved,
  );

const namesOf = (type: string) => [`${type}_mean`, `${type}_precision_mean`, `${type}_recall_mean`];

const flatten = (scores: RougeScores): RowScores =>
  Object.fromEntries(
    ROUGE_TYPES.flatMap((type) => {
      const { fmeasure, precision, recall } = scores[type];
      return namesOf(type).map((name, at) => [name, [fmeasure, precision, recall][at] ?? 0]);
    }),
  );

interface RougeScore {
  readonly precision: number;
  readonly recall: number;
  readonly fmeasure: number;
}

const ROUGE_TYPES = ['rouge1', 'rouge2', 'rougeL', 'rougeLsum'] as const;
type RougeScores = Readonly<Record<(typeof ROUGE_TYPES)[number], RougeScore>>;

/**
 * ROUGE of one row, equal to Google's rouge-score
 * (https://github.com/google-research/google-research/tree/master/rouge). With several references, each type
 * uses the reference with its best F-measure.
 */
function rougeScores(row: TextRow, options: Required<RougeOptions>): RougeScores {
  checkLength(row);
  const all = referencesOf(row).map((reference) =>
    scoresOf({ prediction: row.prediction, reference }, options),
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

function scoresOf(row: TextRow, { useStemmer = false, maxPairs = MAX_PAIRS }: RougeOptions): RougeScores {
  // Lines without words match nothing, and a text can consist of any number of them.
  const linesOf = (text: string) =>
    text
      .split('\n')
      .map((line) => rougeTokens(line, useStemmer))
      .filter((words) => words.length > 0);
  const [references, predictions] = [linesOf(row.reference), linesOf(row.prediction)];
  const [reference, prediction] = [references.flat(), predictions.flat()];
  checkWork(maxPairs, 'word', reference.length, prediction.length);
  checkWork(maxPairs / LINE_PAIR, 'line', references.length, predictions.length);
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

/** Each pair of lines takes as long as this many pairs of words, even if the lines are short. */
const LINE_PAIR = 8;

function checkWork(max: number, unit: 'word' | 'line', reference: number, prediction: number): void {
  if (reference * prediction <= max) return;
  throw new AppError(
    'TooLargeError',
    `The prediction has ${prediction} ${unit}s and the reference ${reference}. ROUGE supports at most ${max} ${unit} pairs; shorten a text or omit the row.`,
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

/**
 * Words in the reference's lines that occur in any line of the prediction, counted at most as often as they
 * occur in both texts.
 */
function unionHits(references: readonly Sequence[], predictions: readonly Sequence[]): number {
  const left = [references, predictions].map(countWords);
  const widest = greatest([0, ...predictions.map(({ length }) => length)]);
  const table: PathTable = {
    leftward: new Uint8Array(widest * greatest([0, ...references.map(({ length }) => length)])),
    lengths: new Uint32Array(widest + 1),
  };
  let hits = 0;
  for (const reference of references) {
    const common = new Set<number>();
    for (const prediction of predictions) addCommonPositions(reference, prediction, table, common);
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

/** Maps words to numbers, for faster comparison. */
type Sequence = Uint32Array;

/** Length of the longest common subsequence. */
function commonLength(reference: Sequence, candidate: Sequence): number {
  const lengths = new Uint32Array(candidate.length + 1);
  for (const word of reference) nextRow(lengths, word, candidate);
  return lengths[candidate.length] ?? 0;
}

/** Memory for finding a path, which is reused for all pairs of lines. */
interface PathTable {
  /** Whether the path goes left at a cell: one byte per cell, where lengths would take four. */
  readonly leftward: Uint8Array;
  readonly lengths: Uint32Array;
}

/**
 * Adds the positions of a longest common subsequence in the reference; if there are several, of the same one that
 * rouge-score selects.
 */
function addCommonPositions(
  reference: Sequence,
  candidate: Sequence,
  { leftward, lengths }: PathTable,
  positions: Set<number>,
): void {
  const width = candidate.length;
  lengths.fill(0, 0, width + 1);
  for (const [row, word] of reference.entries()) {
    let [diagonal, before] = [0, 0];
    for (let column = 0; column < width; column += 1) {
      const above = lengths[column + 1] ?? 0;
      leftward[row * width + column] = Number(before > above);
      before = candidate[column] === word ? diagonal + 1 : Math.max(above, before);
      lengths[column + 1] = before;
      diagonal = above;
    }
  }
  let [row, column] = [reference.length - 1, width - 1];
  while (row >= 0 && column >= 0) {
    if (reference[row] === candidate[column]) {
      positions.add(row);
      row -= 1;
      column -= 1;
    } else if (leftward[row * width + column] === 1) column -= 1;
    else row -= 1;
  }
}

/**
 * Extends the processed part of the reference by `word`, updating the lengths. `lengths[n]` is for the first
 * `n` words of the candidate.
 */
function nextRow(lengths: Uint32Array, word: number, candidate: Sequence): void {
  let diagonal = 0;
  for (let column = 0; column < candidate.length; column += 1) {
    const above = lengths[column + 1] ?? 0;
    lengths[column + 1] = candidate[column] === word ? diagonal + 1 : Math.max(above, lengths[column] ?? 0);
    diagonal = above;
  }
}

/**
 * A text's words as ROUGE compares them. Letters other than a to z separate words, so texts in other scripts
 * have none.
 *
 * @internal Exported for tests only.
 */
export function rougeTokens(text: string, useStemmer: boolean): string[] {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return useStemmer ? words.map((word) => (word.length > 3 ? stem(word) : word)) : words;
}
