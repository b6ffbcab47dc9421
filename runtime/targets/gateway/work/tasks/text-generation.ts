import type { Task } from './api.ts';
import { writingTask } from './writing-task.ts';

export const textGeneration: Task = writingTask({
  defaultPrompt: () => undefined,
  defaultMetrics: ['rouge', 'meteor', 'bleu', 'bertscore'],
});
