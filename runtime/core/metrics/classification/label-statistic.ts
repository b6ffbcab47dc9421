import type { Statistic } from '../compare/bootstrap.ts';
import { labelValues } from './label-values.ts';
import type { LabelRow } from './single-label.ts';

/** The position of a row's prediction where the model gave no answer. */
const NO_LABEL = 0xffff_ffff;

/**
 * A value of `singleLabel` that is no mean of rows, as `f1_macro`, as a statistic for `bootstrapInterval`. Labels that a resample
 * does not have do not count in it; NaN is a value that its rows do not define. Holds 8 bytes per row.
 */
export function labelStatistic(rows: readonly LabelRow[], name: string): Statistic {
  const positions = new Map<string, number>();
  const positionOf = (label: string): number => {
    const position = positions.get(label) ?? positions.size;
    positions.set(label, position);
    return position;
  };
  const actual = Uint32Array.from(rows, ({ reference }) => positionOf(reference));
  const predicted = Uint32Array.from(rows, ({ prediction }) =>
    prediction === null ? NO_LABEL : positionOf(prediction),
  );
  const labels = [...positions.keys()];

  return (drawn) => {
    const tallies = labels.map((label) => ({ label, hits: 0, predicted: 0, actual: 0 }));
    for (const row of drawn) {
      const [truth, said] = [tallies[actual[row] ?? 0], tallies[predicted[row] ?? 0]];
      if (truth) truth.actual += 1;
      if (said) said.predicted += 1;
      if (truth && truth === said) truth.hits += 1;
    }
    const value = labelValues(tallies.filter(({ actual, predicted }) => actual + predicted > 0))[name];
    return typeof value === 'number' ? value : Number.NaN;
  };
}
