import { averages, labelTable } from '../averages.ts';
import { labelTally, type SavedTally } from '../label-tally.ts';
import type { Span } from './span.ts';

/** Spans that are right when start, end and label are. */
export function spanCounts(saved?: SavedTally) {
  const tally = labelTally(saved);
  return {
    /** Gives the F1 of the row; a row that has nothing to find, in which nothing was found, is right, but not one without an answer. */
    add: (prediction: readonly Span[] | null, reference: readonly Span[]): number => {
      const predicted = new Set(prediction?.map(keyOf));
      const actual = new Set(reference.map(keyOf));
      tally.add(predicted, actual, labelOf);
      const size = predicted.size + actual.size;
      if (prediction === null) return 0;
      return size === 0 ? 1 : (2 * predicted.intersection(actual).size) / size;
    },
    numbers: () => averages(tally.counts(), 'span_'),
    table: () => labelTable(tally.counts()),
    save: tally.save,
  };
}

const keyOf = ({ start, end, label }: Span): string => `${start} ${end} ${label}`;
const labelOf = (key: string): string => key.replace(/^\S+ \S+ /, '');
