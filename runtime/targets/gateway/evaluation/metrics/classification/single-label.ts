import {
  type Metric,
  type MetricMaker,
  type MetricResult,
  type MetricRow,
  metricResult,
  type NumberOrReason,
  withoutRows,
} from '../metric.ts';
import { labelTable, averages, type LabelCounts, sortedLabels } from '../averages.ts';

/**
 * A row with one true and one predicted label; null means that the model gave no response, which is wrong and
 * adds no label.
 */
export type LabelRow = MetricRow<string | null, string>;

/**
 * Accuracy and other values derived from label counts, with the same results as scikit-learn with
 * `zero_division=0`. The labels are those that occur in the ground truth or in predictions. Stores one number
 * per pair of labels that occurs, so language model outputs must first be mapped to labels.
 */
export const singleLabel: MetricMaker<LabelRow> = (_options, saved): Metric<LabelRow> => {
  const counted = confusion(saved as SavedConfusion | undefined);
  return {
    add: ({ prediction, reference }) => {
      counted.add(reference, prediction);
      return { accuracy: prediction === reference ? 1 : 0 };
    },
    result: () => resultOf(counted),
    save: counted.save,
  };
};

/** Maximum number of labels in the matrix, which grows quadratically. */
const MAX_MATRIX_LABELS = 200;

function resultOf(counted: Confusion): MetricResult {
  const counts = counted.counts();
  const labels = counts.map(({ label }) => label);
  return metricResult(labelValues(counts), {
    rows: counts.reduce((sum, { actual }) => sum + actual, 0),
    labels,
    per_label: labelTable(counts),
    confusion_matrix: labels.length > MAX_MATRIX_LABELS ? null : counted.matrix(labels),
  });
}

/**
 * All values that can be derived from how often each label was correct, predicted and true, for rows with one
 * label each.
 */
function labelValues(counts: readonly LabelCounts[]): Record<string, NumberOrReason> {
  const rows = sumOf(counts, 'actual');
  const values = {
    accuracy: sumOf(counts, 'hits') / rows,
    balanced_accuracy: balancedAccuracy(counts),
    ...averages(counts),
    mcc: matthewsCorrelation(counts),
    cohen_kappa: cohenKappa(counts),
  };
  return rows === 0 ? withoutRows(values) : values;
}

const sumOf = (counts: readonly LabelCounts[], name: 'actual' | 'hits'): number =>
  counts.reduce((sum, count) => sum + count[name], 0);

/** Mean recall over the labels that occur in the ground truth. */
function balancedAccuracy(counts: readonly LabelCounts[]): number {
  const recalls = counts.filter(({ actual }) => actual > 0).map(({ hits, actual }) => hits / actual);
  return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
}

/**
 * Matthews correlation for any number of labels; as in scikit-learn, 0 if the ground truth or the predictions
 * contain only one label.
 */
function matthewsCorrelation(counts: readonly LabelCounts[]): number {
  const { rows, hits } = totals(counts);
  const together = hits * rows - dot(counts, 'actual', 'predicted');
  // Rows without a response count as a separate predicted label, which is never correct.
  const unanswered = rows - counts.reduce((sum, { predicted }) => sum + predicted, 0);
  const predicted = dot(counts, 'predicted', 'predicted') + unanswered * unanswered;
  const spread = (rows * rows - predicted) * (rows * rows - dot(counts, 'actual', 'actual'));
  return spread === 0 ? 0 : together / Math.sqrt(spread);
}

/** Unweighted Cohen's kappa. */
function cohenKappa(counts: readonly LabelCounts[]): NumberOrReason {
  const { rows, hits } = totals(counts);
  const byChance = rows * rows - dot(counts, 'actual', 'predicted');
  if (byChance === 0) return ONE_LABEL;
  return 1 - ((rows - hits) * rows) / byChance;
}

const ONE_LABEL =
  'All references and predictions have the same label, so agreement beyond chance is undefined.';

type Count = 'actual' | 'predicted';

const dot = (counts: readonly LabelCounts[], one: Count, other: Count): number =>
  counts.reduce((sum, count) => sum + count[one] * count[other], 0);

const totals = (counts: readonly LabelCounts[]): { rows: number; hits: number } => ({
  rows: counts.reduce((sum, { actual }) => sum + actual, 0),
  hits: counts.reduce((sum, { hits }) => sum + hits, 0),
});

/** Counts pairs of true and predicted labels. Stores one number per pair that occurs. */
interface Confusion {
  /**
   * Adds a row. If `predicted` is null because the model gave no response, the true label counts as missed
   * and no label as predicted.
   */
  readonly add: (actual: string, predicted: string | null) => void;
  /** Counts for every label that is true or predicted somewhere, in label order. */
  readonly counts: () => LabelCounts[];
  /** Rows are true labels and columns are predicted labels, both in `labels` order. */
  readonly matrix: (labels: readonly string[]) => number[][];
  readonly save: () => SavedConfusion;
}
type SavedConfusion = readonly (readonly [actual: string, predicted: string | null, rows: number])[];

/** @internal Exported for tests only. */
export function confusion(saved: SavedConfusion = []): Confusion {
  const cells = new Map<string, Map<string | null, number>>();
  const add = (actual: string, predicted: string | null, rows: number): void => {
    const line = cells.get(actual) ?? new Map<string | null, number>();
    cells.set(actual, line);
    line.set(predicted, (line.get(predicted) ?? 0) + rows);
  };
  const all = (): [actual: string, predicted: string | null, rows: number][] =>
    Array.from(cells, ([actual, line]) =>
      Array.from(line, ([predicted, rows]): [string, string | null, number] => [actual, predicted, rows]),
    ).flat();
  for (const cell of saved) add(...cell);

  return {
    add: (actual, predicted) => add(actual, predicted, 1),
    counts: () => countsOf(all()),
    matrix: (labels) =>
      labels.map((actual) => labels.map((predicted) => cells.get(actual)?.get(predicted) ?? 0)),
    save: all,
  };
}

function countsOf(cells: SavedConfusion): LabelCounts[] {
  const labels = sortedLabels(cells.flatMap(([actual, predicted]) => [actual, predicted ?? []].flat()));
  const tallies = new Map(labels.map((label) => [label, { label, hits: 0, predicted: 0, actual: 0 }]));
  for (const [actual, predicted, rows] of cells) {
    const truth = tallies.get(actual);
    const guess = predicted === null ? undefined : tallies.get(predicted);
    if (truth) truth.actual += rows;
    if (guess) guess.predicted += rows;
    if (truth && truth === guess) truth.hits += rows;
  }
  return [...tallies.values()];
}
