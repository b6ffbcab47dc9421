import { type AnyJson, type MetricMaker, metricResult, withoutRows } from '../metric.ts';
import { runningMeans } from './mean-metric.ts';
import { checkLength, referencesOf, type TextRow, countShared, ngrams, unionOf } from './text-row.ts';
import { bleuTokens, type BleuTokenizer } from './bleu-tokens.ts';

interface BleuOptions {
  /** Tokenizer. Default: `13a`. */
  readonly tokenizer?: BleuTokenizer | undefined;
}

interface Saved {
  readonly counts: BleuCounts;
  readonly sentences: AnyJson;
}

/**
 * `bleu` of the whole corpus and `bleu_mean`, the mean over rows, from 0 to 100. Within a row, both names
 * have the sentence score.
 */
export const bleu: MetricMaker<TextRow, BleuOptions> = ({ tokenizer = '13a' }, json) => {
  const saved = json as Saved | undefined;
  const sentences = runningMeans(['bleu_mean'], saved?.sentences);
  let counts = saved?.counts ?? NO_BLEU_COUNTS;
  return {
    add(row) {
      checkLength(row);
      const ofRow = countBleu(
        bleuTokens(row.prediction, tokenizer),
        referencesOf(row).map((reference) => bleuTokens(reference, tokenizer)),
      );
      const { score } = bleuScore(ofRow, true);
      counts = addBleuCounts(counts, ofRow);
      sentences.add({ bleu_mean: score });
      return { bleu: score, bleu_mean: score };
    },
    result() {
      const { score, precisions, brevityPenalty } = bleuScore(counts, false);
      const numbers = { bleu: score, ...sentences.numbers() };
      return metricResult(sentences.isEmpty() ? withoutRows(numbers) : numbers, {
        tokenizer,
        precisions,
        brevity_penalty: brevityPenalty,
        predicted_tokens: counts.predicted,
        reference_tokens: counts.actual,
      });
    },
    save: () => ({ counts: { ...counts }, sentences: sentences.save() }),
  };
};

const ORDERS = [1, 2, 3, 4] as const;

/** The counts from which the BLEU of any number of rows is computed. */
interface BleuCounts {
  readonly predicted: number;
  readonly actual: number;
  /** For n-grams of 1 to 4 tokens: the number of matches, and the number in the prediction. */
  readonly matches: readonly number[];
  readonly totals: readonly number[];
}

const NO_BLEU_COUNTS: BleuCounts = {
  predicted: 0,
  actual: 0,
  matches: ORDERS.map(() => 0),
  totals: ORDERS.map(() => 0),
};

/**
 * An n-gram matches up to as often as it occurs in the reference that has it most often. The target length is
 * that of the reference closest in length.
 */
const countBleu = (
  prediction: readonly string[],
  references: readonly (readonly string[])[],
): BleuCounts => ({
  predicted: prediction.length,
  actual: closestLength(
    prediction.length,
    references.map(({ length }) => length),
  ),
  matches: ORDERS.map((order) =>
    countShared(ngrams(prediction, order), unionOf(references.map((one) => ngrams(one, order)))),
  ),
  totals: ORDERS.map((order) => Math.max(0, prediction.length - order + 1)),
});

/** If two lengths are equally close, the shorter one counts. */
const closestLength = (length: number, lengths: readonly number[]): number =>
  lengths.toSorted((one, other) => Math.abs(one - length) - Math.abs(other - length) || one - other).at(0) ??
  0;

const addBleuCounts = (left: BleuCounts, right: BleuCounts): BleuCounts => ({
  predicted: left.predicted + right.predicted,
  actual: left.actual + right.actual,
  matches: left.matches.map((count, at) => count + (right.matches[at] ?? 0)),
  totals: left.totals.map((count, at) => count + (right.totals[at] ?? 0)),
});

interface BleuScore {
  /** Score from 0 to 100, as in sacrebleu and in papers. */
  readonly score: number;
  readonly precisions: readonly number[];
  readonly brevityPenalty: number;
}

/**
 * BLEU (Papineni et al., 2002) with sacrebleu's exponential smoothing: orders without a match count as 1/2,
 * 1/4, … of a match. Sentences use `effectiveOrder`, so that they are not penalized for being too short for
 * n-grams of all orders.
 */
function bleuScore(counts: BleuCounts, effectiveOrder: boolean): BleuScore {
  const brevityPenalty = penalty(counts);
  const precisions = smoothed(counts);
  const orders = effectiveOrder ? counts.totals.filter((total) => total > 0).length : ORDERS.length;
  const used = precisions.slice(0, orders);
  const logarithms = used.reduce((sum, precision) => sum + Math.log(precision), 0);
  const isNothing = counts.matches.every((count) => count === 0);
  // An order without n-grams makes the sum -Infinity and the score 0.
  const score = isNothing ? 0 : brevityPenalty * Math.exp(logarithms / orders);
  return { score, precisions, brevityPenalty };
}

function penalty({ predicted, actual }: BleuCounts): number {
  if (predicted >= actual) return 1;
  return predicted === 0 ? 0 : Math.exp(1 - actual / predicted);
}

/** Precision per order in percent; 0 if the predictions have no n-grams of that order. */
function smoothed({ matches, totals }: BleuCounts): number[] {
  let misses = 0;
  return ORDERS.map((_order, at) => {
    const [match = 0, total = 0] = [matches[at], totals[at]];
    if (total === 0) return 0;
    if (match > 0) return (100 * match) / total;
    misses += 1;
    return 100 / (2 ** misses * total);
  });
}
