import type { EvaluationSpec, Failures } from '../work.ts';

/** How rows count for which the model failed. Evaluations of earlier versions skipped them. */
export const failuresOf = ({ failures }: Pick<EvaluationSpec, 'failures'>): Failures => failures ?? 'skipped';
