import type { LabelCounts } from './averages.ts';
import { sortedLabels } from './sorted-labels.ts';

/** Incremental counts per label. */
export interface LabelTally {
  readonly add: (predicted: ReadonlySet<string>, actual: ReadonlySet<string>, labelOf: LabelOf) => void;
  /** Counts in label order. */
  readonly counts: () => LabelCounts[];
  readonly save: () => SavedTally;
}
export type SavedTally = readonly (readonly [
  label: string,
  hits: number,
  predicted: number,
  actual: number,
])[];

/** Returns the label of an item; an item is what two rows can have in common. */
type LabelOf = (item: string) => string;

export function labelTally(saved: SavedTally = []): LabelTally {
  const tallies = new Map(
    saved.map(([label, hits, predicted, actual]) => [label, { hits, predicted, actual }]),
  );
  const tallyOf = (label: string) => {
    const tally = tallies.get(label) ?? { hits: 0, predicted: 0, actual: 0 };
    tallies.set(label, tally);
    return tally;
  };
  return {
    add: (predicted, actual, labelOf) => {
      for (const item of predicted) {
        const tally = tallyOf(labelOf(item));
        tally.predicted += 1;
        if (actual.has(item)) tally.hits += 1;
      }
      for (const item of actual) tallyOf(labelOf(item)).actual += 1;
    },
    counts: () => sortedLabels(tallies.keys()).map((label) => ({ label, ...tallyOf(label) })),
    save: () =>
      Array.from(tallies, ([label, { hits, predicted, actual }]) => [label, hits, predicted, actual]),
  };
}
