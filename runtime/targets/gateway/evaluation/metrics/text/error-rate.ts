import { type MetricMaker, metricResult, withoutRows } from '../metric.ts';
import { checkLength, referencesOf, type TextRow, wordsOfText, trimEnd, trimStart } from './text-row.ts';
import { AppError } from '#contract/errors.ts';

/** Maximum number of compared pairs, which takes about a second. */
const MAX_PAIRS = 400_000_000;

/**
 * The Levenshtein distance: the fewest insertions, deletions and substitutions. Throws a TooLargeError for very long lists.
 *
 * @internal Exported for tests only.
 */
export function editDistance(one: readonly string[], other: readonly string[]): number {
  if (one.length * other.length > MAX_PAIRS) {
    throw new AppError(
      'TooLargeError',
      `Texts with ${one.length} and ${other.length} words or characters are too long for an error rate. Shorten the texts, or omit the metric.`,
    );
  }
  // Distances from the current prefix of `one` to each prefix of `other`.
  const distances = Uint32Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, unit] of one.entries()) {
    let diagonal = row;
    distances[0] = row + 1;
    for (const [column, found] of other.entries()) {
      const above = distances[column + 1] ?? 0;
      const substituted = diagonal + (unit === found ? 0 : 1);
      distances[column + 1] = Math.min(substituted, above + 1, (distances[column] ?? 0) + 1);
      diagonal = above;
    }
  }
  return distances[other.length] ?? 0;
}

interface Saved {
  readonly rows: number;
  readonly edits: number;
  readonly units: number;
}

/**
 * The error rate over all rows, as computed by jiwer: the edits that turn the predictions into the
 * references, divided by the number of words or characters in the references. It can exceed 1. White space
 * separates words; leading and trailing white space does not count as characters. A row whose reference is
 * empty has no score. With several references, the one with the lowest rate counts.
 */
const errorRate =
  (name: string, unitsOf: (text: string) => readonly string[]): MetricMaker<TextRow> =>
  (_options, json) => {
    const saved = json as Saved | undefined;
    let { rows, edits, units } = saved ?? { rows: 0, edits: 0, units: 0 };
    return {
      add(row) {
        checkLength(row);
        const predicted = unitsOf(row.prediction);
        const [best = { edits: 0, units: 0 }] = referencesOf(row)
          .map((text) => {
            const reference = unitsOf(text);
            return { edits: editDistance(reference, predicted), units: reference.length };
          })
          .toSorted((one, other) => rateOf(one) - rateOf(other));
        rows += 1;
        edits += best.edits;
        units += best.units;
        return best.units === 0 ? {} : { [name]: rateOf(best) };
      },
      result() {
        const detail = { edits, reference_units: units };
        if (rows === 0) return metricResult(withoutRows({ [name]: 0 }), detail);
        return metricResult({ [name]: units === 0 ? 'All references are empty.' : edits / units }, detail);
      },
      save: (): { [Name in keyof Saved]: number } => ({ rows, edits, units }),
    };
  };

/** An empty reference has the highest rate, unless the prediction is empty too. */
const rateOf = ({ edits, units }: Pick<Saved, 'edits' | 'units'>): number =>
  edits === 0 ? 0 : edits / units;

export const wer = errorRate('wer', wordsOfText);
export const cer = errorRate('cer', (text) => Array.from(trimEnd(trimStart(text))));
