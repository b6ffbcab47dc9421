import { inputError } from '#contract/errors.ts';
import type { Model } from '../work/backends/backend.ts';

const MAX_SHOWN_LABELS = 20;

/** Throws an InputError if the ground truth has a label that the model does not have and therefore can never predict. */
export function checkLabels(
  { name, labels: known, modelType }: Model,
  labels: ReadonlyMap<string, number>,
): void {
  if (known === undefined || known.length === 0) return;
  const same = modelType === 'token_classification' ? withoutPrefix : (label: string): string => label;
  const all = new Set(known.map(same));
  for (const [label, row] of labels) {
    if (all.has(same(label)) || (modelType === 'token_classification' && label === 'O')) continue;
    const shown = known.slice(0, MAX_SHOWN_LABELS).map((one) => JSON.stringify(one));
    throw inputError(
      `Row ${row} of the dataset has the ground truth ${JSON.stringify(label.slice(0, 100))}, which is not a label of ${name}. Its labels are ${shown.join(', ')}${known.length > MAX_SHOWN_LABELS ? ' and more' : ''}.`,
    );
  }
}

/** A label without its position tag: `B-PER` and `I-PER` are the same entity type. */
const withoutPrefix = (label: string): string => label.replace(/^[BIES]-/, '');
