import { inputError } from '../../../../../contract/errors.ts';
import { EXAMPLES, GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { InferenceSpec } from '../work.ts';
import type { Task } from './task.ts';

/** What inference reads, or says of every row whatever the task. */
const TAKEN = [EXAMPLES, 'tokens', 'reference', 'candidates'];
const COMMON_COLUMNS = ['error', 'prompt_tokens', 'completion_tokens', 'latency_ms'];

/** Throws an InputError for a name that another column has. Only annotations may write a ground truth. */
export function checkOutputField({ columns }: Task, spec: InferenceSpec): void {
  const { outputField, type } = spec;
  const others = columns({ ...spec, outputField: '' }).filter((name) => name !== '');
  const truth = type === 'annotate' ? [] : [GROUND_TRUTH];
  const taken = [...TAKEN, ...truth, ...COMMON_COLUMNS, ...others];
  if (outputField.trim() !== '' && !taken.includes(outputField)) return;
  throw inputError(
    `The answers cannot go into a column ${JSON.stringify(outputField)}. It has to have a name, other than ${taken.join(', ')}.`,
  );
}
