import { type Arbitrary, array, constantFrom, oneof, record, string } from 'fast-check';
import type { TextRow } from '#gateway/evaluation/metrics/text/text-row.ts';

/** The same rows in every run. */
export const RUNS = { seed: 11, numRuns: 300 };

const words = array(
  constantFrom('a', 'the', 'cat', 'cats', 'Running', '3.14', '我们', 'été', '.', '\n', '🎉'),
  {
    maxLength: 12,
  },
).map((parts) => parts.join(' '));

export const texts: Arbitrary<string> = oneof(words, string({ unit: 'binary', maxLength: 30 }));

/** Half of the texts use only a few words, so that texts have some in common. */
export const rows: Arbitrary<TextRow> = record({ prediction: texts, reference: texts });
