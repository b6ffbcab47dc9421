import type { LabelCounts } from '../averages.ts';
import type { NumberOrReason } from '../result.ts';

/** Mean recall over the labels that occur as truth. */
export function balancedAccuracy(counts: readonly LabelCounts[]): number {
  const recalls = counts.filter(({ actual }) => actual > 0).map(({ hits, actual }) => hits / actual);
  return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
}

/** Matthews correlation for any number of labels; 0, as in scikit-learn, if truth or predictions contain a single label. */
export function matthewsCorrelation(counts: readonly LabelCounts[]): number {
  const { rows, hits } = totals(counts);
  const together = hits * rows - dot(counts, 'actual', 'predicted');
  // Rows without an answer form a predicted label of their own, which is never correct.
  const unanswered = rows - counts.reduce((sum, { predicted }) => sum + predicted, 0);
  const predicted = dot(counts, 'predicted', 'predicted') + unanswered * unanswered;
  const spread = (rows * rows - predicted) * (rows * rows - dot(counts, 'actual', 'actual'));
  return spread === 0 ? 0 : together / Math.sqrt(spread);
}

/** Unweighted Cohen's kappa. */
export function cohenKappa(counts: readonly LabelCounts[]): NumberOrReason {
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
