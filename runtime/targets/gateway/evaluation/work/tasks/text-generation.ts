import type { EvaluatedTask } from './task.ts';
import { writingTask } from './writing-task.ts';

export const textGeneration: EvaluatedTask = writingTask({
  defaultPrompt: () => undefined,
  defaultMetrics: ['rouge', 'meteor', 'bleu', 'bertscore'],
});
