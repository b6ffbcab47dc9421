import {
  type Metric,
  type MetricMaker,
  type MetricRow,
  metricResult,
  type NumberOrReason,
  withoutRows,
} from '../metric.ts';
import { averages, labelTable, labelTally, type SavedTally } from '../averages.ts';

/**
 * A row with any number of true and predicted labels; duplicates count once. Null means that the model gave
 * no response, which is wrong for any true labels.
 */
export type LabelSetRow = MetricRow<readonly string[] | null, readonly string[]>;

export interface MultiLabelOptions {
  /** Labels that the model knows; they count even if they never occur. Labels that occur always count. */
  readonly labels?: readonly string[];
}

type Saved = {
  readonly rows: number;
  readonly exact: number;
  readonly differing: number;
  readonly f1: number;
  readonly tally: SavedTally;
};

/** Same results as scikit-learn for indicator matrices with `zero_division=0`; `subset_accuracy` is its `accuracy_score`. */
export const multiLabel: MetricMaker<LabelSetRow, MultiLabelOptions> = (
  options,
  json,
): Metric<LabelSetRow> => {
  const saved = json as Saved | undefined;
  const tally = labelTally(saved?.tally ?? options.labels?.map((label) => [label, 0, 0, 0]));
  let { rows, exact, differing, f1 } = saved ?? { rows: 0, exact: 0, differing: 0, f1: 0 };
  return {
    add: (row) => {
      const { predicted, actual, hits } = setsOf(row);
      const wrong = predicted.size + actual.size - 2 * hits;
      const isExact = row.prediction !== null && wrong === 0;
      const scores = { subset_accuracy: isExact ? 1 : 0, f1_samples: f1Of(hits, wrong) };
      tally.add(predicted, actual, (label) => label);
      rows += 1;
      exact += scores.subset_accuracy;
      differing += wrong;
      f1 += scores.f1_samples;
      return scores;
    },
    result: () => {
      const counts = tally.counts();
      const numbers = {
        subset_accuracy: exact / rows,
        hamming_loss: hammingLoss(differing, rows, counts.length),
        f1_samples: f1 / rows,
        ...averages(counts),
      };
      return metricResult(rows === 0 ? withoutRows(numbers) : numbers, {
        rows,
        per_label: labelTable(counts),
      });
    },
    save: (): Saved => ({ rows, exact, differing, f1, tally: tally.save() }),
  };
};

function setsOf({ prediction, reference }: LabelSetRow) {
  const [predicted, actual] = [new Set(prediction ?? []), new Set(reference)];
  return { predicted, actual, hits: predicted.intersection(actual).size };
}

const f1Of = (hits: number, wrong: number): number => (hits === 0 ? 0 : (2 * hits) / (2 * hits + wrong));

const hammingLoss = (differing: number, rows: number, labels: number): NumberOrReason =>
  labels === 0 ? 'There are no labels to score.' : differing / (rows * labels);
