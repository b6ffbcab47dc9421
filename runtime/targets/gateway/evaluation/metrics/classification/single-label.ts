import type { Metric, MetricMaker, MetricResult, MetricRow } from '../metric.ts';
import { labelTable } from '../averages.ts';
import { metricResult } from '../result.ts';
import { type Confusion, confusion, type SavedConfusion } from './confusion.ts';
import { labelValues } from './label-values.ts';

/** A row with one true and one predicted label; null means no answer, which is wrong and adds no label. */
export type LabelRow = MetricRow<string | null, string>;

/**
 * Accuracy and other values derived from label counts, with the same results as scikit-learn with `zero_division=0`. Labels are
 * those that occur as truth or prediction. Stores a number per pair of labels that occurs, so the output of a language model
 * must be mapped to labels first.
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

/** Maximum number of labels in the matrix, which grows with their square. */
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
