import { inputError } from '#contract/errors.ts';
import { EXAMPLES, GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { InferenceSpec } from '../work.ts';
import type { EvaluatedTask } from './task.ts';

/** Columns that inference reads. */
const INPUT_COLUMNS = [EXAMPLES, 'tokens', 'reference', 'candidates'];
/** Columns that inference writes for every task. */
const COMMON_COLUMNS = ['error', 'prompt_tokens', 'completion_tokens', 'latency_ms'];

/** Throws an InputError for an empty name and for names of other columns. Only annotations can write a ground truth. */
export function checkOutputField({ columns }: EvaluatedTask, spec: InferenceSpec): void {
  const { outputField, type } = spec;
  const others = columns({ ...spec, outputField: '' }).filter((name) => name !== '');
  const truth = type === 'annotate' ? [] : [GROUND_TRUTH];
  const taken = [...INPUT_COLUMNS, ...truth, ...COMMON_COLUMNS, ...others];
  if (outputField.trim() !== '' && !taken.includes(outputField)) return;
  throw inputError(
    `Invalid column ${JSON.stringify(outputField)} for the answers. Use a non-empty name other than ${taken.join(', ')}.`,
  );
}
