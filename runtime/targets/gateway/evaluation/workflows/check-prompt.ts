import { checkFewShot, checkTemplate } from '../work/inference/prompt.ts';
import type { InferenceSpec } from '../work/work.ts';
import { inMember } from './member-errors.ts';

/** Throws an InputError for a prompt or examples that do not fit the columns of the dataset. */
export function checkPrompt(
  spec: Pick<InferenceSpec, 'systemPrompt' | 'prompt' | 'fewShot'>,
  columns: readonly string[],
): void {
  inMember('prompt', () => checkTemplate(spec, columns));
  inMember('few_shot', () => checkFewShot(spec));
}
