import type { EvaluatedTask } from './task.ts';
import { writingTask } from './writing-task.ts';

export const translation: EvaluatedTask = writingTask({
  defaultPrompt: (definition) =>
    definition.task === 'translation'
      ? `Translate the text of the user from ${definition.sourceLanguage} to ${definition.targetLanguage}. Answer with the translation and nothing else.`
      : undefined,
  defaultMetrics: ['bleu', 'meteor', 'g_eval_translation'],
});
