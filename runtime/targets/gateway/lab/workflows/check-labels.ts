import { inputError } from '../../../../contract/errors.ts';
import type { Model } from '../work/backends/backend.ts';

const MOST_SHOWN = 20;

/** Throws an InputError for a ground truth that the model can never give, as it does not know it. */
export function checkLabels(
  { name, labels: known, modelType }: Model,
  labels: ReadonlyMap<string, number>,
): void {
  if (known === undefined || known.length === 0) return;
  const same = modelType === 'token_classification' ? withoutPrefix : (label: string): string => label;
  const all = new Set(known.map(same));
  for (const [label, row] of labels) {
    if (all.has(same(label)) || (modelType === 'token_classification' && label === 'O')) continue;
    const shown = known.slice(0, MOST_SHOWN).map((one) => JSON.stringify(one));
    throw inputError(
      `Row ${row} of the dataset has the ground truth ${JSON.stringify(label.slice(0, 100))}, which is no label of ${name}. It knows ${shown.join(', ')}${known.length > MOST_SHOWN ? ' and more' : ''}.`,
    );
  }
}

/** `B-PER` and `I-PER` are about the same kind of thing. */
const withoutPrefix = (label: string): string => label.replace(/^[BIES]-/, '');
