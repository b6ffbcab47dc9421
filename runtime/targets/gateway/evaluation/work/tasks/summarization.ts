import type { EvaluatedTask } from './task.ts';
import { writingTask } from './writing-task.ts';

export const summarization: EvaluatedTask = writingTask({
  defaultPrompt: () =>
    'Summarize the text of the user in a few sentences of the language that it is written in. Answer with the summary and nothing else.',
  defaultMetrics: ['rouge', 'meteor', 'bertscore', 'g_eval_summarization'],
});
