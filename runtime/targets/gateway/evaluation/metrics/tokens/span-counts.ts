import { averages, labelTable } from '../averages.ts';
import { labelTally, type SavedTally } from '../label-tally.ts';
import type { Span } from './span.ts';

/** Counts spans; a span is correct if start, end and label match. */
export function spanCounts(saved?: SavedTally) {
  const tally = labelTally(saved);
  return {
    /**
     * Adds a row and returns its F1. A row without spans, for which none were predicted, is correct, unless it has no answer.
     */
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
