import type { Task } from './task.ts';
import { writingTask } from './writing-task.ts';

export const textGeneration: Task = writingTask({
  defaultPrompt: () => undefined,
  defaultMetrics: ['rouge', 'meteor', 'bleu', 'bertscore'],
});
