import { type Metric, type MetricMaker, metricResult, withoutRows } from '../metric.ts';
import { sortedLabels } from '../averages.ts';
import { sortedOrder } from '../sorted-order.ts';

/** A row with the model's score for every label; null if the model gave no response. */
export interface RankedRow {
  /** The true labels. */
  readonly reference: readonly string[];
  readonly scores: Readonly<Record<string, number>> | null;
}

type Saved = {
  readonly rows: number;
  readonly single: number;
  readonly hits: readonly number[];
  readonly scores: Readonly<Record<string, readonly number[]>>;
  readonly truths: readonly (readonly string[])[];
};

/** Numbers of top labels that are searched for the true one. */
const TOPS = [2, 3, 5];

/**
 * How well scores rank the true labels: one-vs-rest ROC AUC and average precision, each averaged over labels
 * (`average="macro"` in scikit-learn) and computed over rows with a response; and, for rows with a single
 * true label, the share of rows whose label is among the 2, 3 or 5 highest scores, where a missing response
 * is wrong. Ranks need every score: 8 bytes per row and label, and more in the saved state.
 */
export const ranking: MetricMaker<RankedRow> = (_options, json): Metric<RankedRow> => {
  const saved = json as Saved | undefined;
  let { rows, single } = saved ?? { rows: 0, single: 0 };
  const hits = [...(saved?.hits ?? TOPS.map(() => 0))];
  const truths = [...(saved?.truths ?? [])];
  const scores = new Map(Object.entries(saved?.scores ?? {}).map(([label, all]) => [label, [...all]]));
  const addTops = ({ reference, scores: found }: RankedRow): Record<string, number> => {
    const [label, ...others] = reference;
    if (label === undefined || others.length > 0) return {};
    const place = found ? placeOf(label, found) : Infinity;
    single += 1;
    return Object.fromEntries(
      TOPS.map((top, at) => {
        const hit = place < top ? 1 : 0;
        hits[at] = (hits[at] ?? 0) + hit;
        return [`top_${top}_accuracy`, hit];
      }),
    );
  };
  const rankedOf = (label: string, values: readonly number[]): RankedScore[] =>
    values.map((score, at) => ({ score, isTrue: truths[at]?.includes(label) === true }));
  return {
    add(row) {
      rows += 1;
      if (row.scores) {
        for (const label of Object.keys(row.scores)) {
          // A label for which earlier rows had no score.
          if (!scores.has(label))
            scores.set(
              label,
              truths.map(() => 0),
            );
        }
        for (const [label, values] of scores)
          values.push(Object.hasOwn(row.scores, label) ? (row.scores[label] ?? 0) : 0);
        truths.push([...row.reference]);
      }
      return addTops(row);
    },
    result() {
      const ranked = Array.from(scores, ([label, values]) => rankedOf(label, values));
      const tops = TOPS.map((top, at) => [
        `top_${top}_accuracy`,
        single === 0 ? 'No row has exactly one label.' : (hits[at] ?? 0) / single,
      ]);
      const numbers = {
        roc_auc: meanOf(ranked.map(areaUnderRoc)),
        average_precision: meanOf(ranked.map(averagePrecision)),
        ...Object.fromEntries(tops),
      };
      return metricResult(rows === 0 ? withoutRows(numbers) : numbers);
    },
    save: (): Saved => ({
      rows,
      single,
      hits: [...hits],
      scores: Object.fromEntries(Array.from(scores, ([label, values]) => [label, [...values]])),
      truths: [...truths],
    }),
  };
};

/**
 * Number of labels that rank before this one, by descending score. Among equal scores, the last label ranks
 * first, as in scikit-learn.
 */
function placeOf(label: string, scores: Readonly<Record<string, number>>): number {
  if (!Object.hasOwn(scores, label)) return Infinity;
  const own = scores[label] ?? 0;
  const names = sortedLabels(Object.keys(scores));
  const at = names.indexOf(label);
  return names.filter((name, index) => {
    const score = scores[name] ?? 0;
    return score > own || (score === own && index > at);
  }).length;
}

function meanOf(values: readonly (number | undefined)[]): number | string {
  const defined = values.filter((value) => value !== undefined);
  if (defined.length === 0) return 'No label has both rows with it and rows without it.';
  return defined.reduce((sum, value) => sum + value, 0) / defined.length;
}

/** One label's score in one row. */
export interface RankedScore {
  readonly score: number;
  /** Whether the row has the label. */
  readonly isTrue: boolean;
}

/** ROC AUC; undefined unless there are rows with and without the label. Equal scores count half. */
export function areaUnderRoc(ranked: readonly RankedScore[]): number | undefined {
  let [truePairs, positives, negatives] = [0, 0, 0];
  for (const { positive, negative } of thresholds(ranked)) {
    // Number of pairs (a row with the label, a row without it) that are ranked lower, or equally.
    truePairs += negative * (positives + positive / 2);
    positives += positive;
    negatives += negative;
  }
  return positives === 0 || negatives === 0 ? undefined : truePairs / (positives * negatives);
}

/**
 * Average precision: the mean of the precision at each threshold, weighted by the increase in recall;
 * undefined if no row has the label.
 */
export function averagePrecision(ranked: readonly RankedScore[]): number | undefined {
  let [sum, positives, chosen] = [0, 0, 0];
  for (const { positive, negative } of thresholds(ranked)) {
    positives += positive;
    chosen += positive + negative;
    sum += positive * (positives / chosen);
  }
  return positives === 0 ? undefined : sum / positives;
}

/** Numbers of rows with and without the label at each score, in descending order of score. */
export function thresholds(
  ranked: readonly RankedScore[],
): readonly { readonly positive: number; readonly negative: number }[] {
  const found: { positive: number; negative: number }[] = [];
  const order = sortedOrder(
    ranked.map(({ score }) => score),
    true,
  );
  let last = Number.NaN;
  for (const at of order) {
    const one = ranked[at];
    if (one && one.score !== last) found.push({ positive: 0, negative: 0 });
    last = one?.score ?? last;
    const counts = found.at(-1);
    if (!counts) continue;
    if (one?.isTrue) counts.positive += 1;
    else counts.negative += 1;
  }
  return found;
}
