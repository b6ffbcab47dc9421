import { averages, type LabelCounts } from '../averages.ts';
import { type NumberOrReason, withoutRows } from '../result.ts';
import { balancedAccuracy, cohenKappa, matthewsCorrelation } from './agreement.ts';

/** All values that follow from how often each label was correct, predicted and true, if each row has one label. */
export function labelValues(counts: readonly LabelCounts[]): Record<string, NumberOrReason> {
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
