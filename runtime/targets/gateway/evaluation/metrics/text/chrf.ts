import { type AnyJson, type MetricMaker, metricResult, withoutRows } from '../metric.ts';
import { runningMeans } from './mean-metric.ts';
import {
  type TextRow,
  checkLength,
  referencesOf,
  characterNgrams,
  countShared,
  ngrams,
  wordsOfText,
} from './text-row.ts';

interface Saved {
  readonly counts: readonly ChrfCount[];
  /** Counts for chrF++. Missing from jobs of earlier versions, which had one reference per row. */
  readonly plusPlus?: readonly ChrfCount[];
  readonly sentences: AnyJson;
}

/** `chrf` and `chrf_plus_plus` of the whole corpus and their means over rows, from 0 to 100. */
export const chrf: MetricMaker<TextRow> = (_options, json) => {
  const saved = json as Saved | undefined;
  const sentences = runningMeans(['chrf_mean', 'chrf_plus_plus_mean'], saved?.sentences);
  const [chrfCounts, plusPlus] = [saved?.counts ?? NO_CHRF_COUNTS, saved?.plusPlus];
  let counts: ChrfCounts = { chrf: chrfCounts, chrf_plus_plus: plusPlus ?? chrfCounts };
  return {
    add(row) {
      const ofRow = countChrf(row);
      const scores = chrfScores(ofRow);
      const means = { chrf_mean: scores.chrf, chrf_plus_plus_mean: scores.chrf_plus_plus };
      counts = addChrfCounts(counts, ofRow);
      sentences.add(means);
      return { ...scores, ...means };
    },
    result() {
      const numbers = { ...chrfScores(counts), ...sentences.numbers() };
      return metricResult(sentences.isEmpty() ? withoutRows(numbers) : numbers);
    },
    save: () => ({ counts: counts.chrf, plusPlus: counts.chrf_plus_plus, sentences: sentences.save() }),
  };
};

/** Number of n-grams of one order in the prediction, in the reference, and in both. */
type ChrfCount = readonly [predicted: number, actual: number, matches: number];

const CHARACTER_ORDERS = [1, 2, 3, 4, 5, 6] as const;
const WORD_ORDERS = [1, 2] as const;

const NO_CHRF_COUNTS: readonly ChrfCount[] = [...CHARACTER_ORDERS, ...WORD_ORDERS].map((): ChrfCount => [
  0, 0, 0,
]);

/** Counts for the best-scoring reference, which can differ between the two scores. */
type ChrfCounts = Readonly<Record<keyof ChrfScores, readonly ChrfCount[]>>;

function countChrf(row: TextRow): ChrfCounts {
  checkLength(row);
  const all = referencesOf(row).map((reference) => countOne(row.prediction, reference));
  return { chrf: bestBy('chrf', all), chrf_plus_plus: bestBy('chrf_plus_plus', all) };
}

/** If scores are equal, the first reference counts. */
function bestBy(name: keyof ChrfScores, all: readonly (readonly ChrfCount[])[]): readonly ChrfCount[] {
  const [first = NO_CHRF_COUNTS, ...others] = all;
  let best = first;
  for (const other of others) if (scoresOf(other)[name] > scoresOf(best)[name]) best = other;
  return best;
}

/** Counts per order: characters first, then words. */
function countOne(predicted: string, actual: string): ChrfCount[] {
  const [prediction, reference] = [chrfCharacters(predicted), chrfCharacters(actual)];
  const [predictionWords, referenceWords] = [chrfWords(predicted), chrfWords(actual)];
  return [
    ...CHARACTER_ORDERS.map((order) =>
      countOf(characterNgrams(prediction, order), characterNgrams(reference, order)),
    ),
    ...WORD_ORDERS.map((order) => countOf(ngrams(predictionWords, order), ngrams(referenceWords, order))),
  ];
}

/** An order without n-grams in the reference is not counted, as in sacrebleu; this matters over a corpus. */
const countOf = (predicted: readonly string[], actual: readonly string[]): ChrfCount => [
  actual.length === 0 ? 0 : predicted.length,
  actual.length,
  countShared(predicted, actual),
];

const addChrfCounts = (left: ChrfCounts, right: ChrfCounts): ChrfCounts => ({
  chrf: addCounts(left.chrf, right.chrf),
  chrf_plus_plus: addCounts(left.chrf_plus_plus, right.chrf_plus_plus),
});

const addCounts = (left: readonly ChrfCount[], right: readonly ChrfCount[]): ChrfCount[] =>
  left.map(([predicted, actual, matches], at) => {
    const [morePredicted, moreActual, moreMatches] = right[at] ?? [0, 0, 0];
    return [predicted + morePredicted, actual + moreActual, matches + moreMatches];
  });

interface ChrfScores {
  readonly chrf: number;
  readonly chrf_plus_plus: number;
}

/**
 * chrF (Popović, 2015) and chrF++ (2017) from 0 to 100, as in sacrebleu: recall has double weight, and only
 * orders that both texts have count.
 */
const scoresOf = (counts: readonly ChrfCount[]): ChrfScores => ({
  chrf: scoreOf(counts.slice(0, CHARACTER_ORDERS.length)),
  chrf_plus_plus: scoreOf(counts),
});

const chrfScores = ({ chrf, chrf_plus_plus: plus }: ChrfCounts): ChrfScores => ({
  chrf: scoresOf(chrf).chrf,
  chrf_plus_plus: scoresOf(plus).chrf_plus_plus,
});

/** Weight of recall, beta squared: with a beta of 2, recall counts twice as much as precision. */
const RECALL_WEIGHT = 4;

function scoreOf(counts: readonly ChrfCount[]): number {
  const both = counts.filter(([predicted, actual]) => predicted > 0 && actual > 0);
  const precision = both.reduce((sum, [predicted, , matches]) => sum + matches / predicted, 0) / both.length;
  const recall = both.reduce((sum, [, actual, matches]) => sum + matches / actual, 0) / both.length;
  if (!(precision + recall > 0)) return 0;
  return (100 * (1 + RECALL_WEIGHT) * precision * recall) / (RECALL_WEIGHT * precision + recall);
}

/**
 * Characters that chrF compares: everything except white space.
 *
 * @internal Exported for tests only.
 */
export const chrfCharacters = (text: string): string => wordsOfText(text).join('');

/** Words that chrF++ compares: one punctuation mark is split off each word, at its end or otherwise at its start. */
const chrfWords = (text: string): string[] => wordsOfText(text).flatMap(cutMark);

const LAST_MARK = /^(.+)([!-/:-@[-`{-~])$/su;
const FIRST_MARK = /^([!-/:-@[-`{-~])(.+)$/su;

function cutMark(word: string): string[] {
  const [, ...parts] = LAST_MARK.exec(word) ?? FIRST_MARK.exec(word) ?? [];
  return parts.length === 0 ? [word] : parts;
}
