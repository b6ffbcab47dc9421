import type { MetricMaker } from '../../metric.ts';
import { metricResult, withoutRows } from '../../result.ts';
import { checkLength, referencesOf, type TextRow } from '../text-row.ts';
import { splitWords, trimEnd, trimStart } from '../white-space.ts';
import { editDistance } from './edit-distance.ts';

interface Saved {
  readonly rows: number;
  readonly edits: number;
  readonly units: number;
}

/**
 * The error rate of all rows, as jiwer computes it: the edits that turn the predictions into the references, divided by the words or
 * characters of the references. It can exceed 1. White space separates words; around a text, it is not a character. A row whose reference
 * is empty has no score. Of several references, the one with the lowest rate counts.
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

export const wer = errorRate('wer', splitWords);
export const cer = errorRate('cer', (text) => Array.from(trimEnd(trimStart(text))));
