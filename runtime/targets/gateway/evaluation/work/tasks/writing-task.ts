import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import { bertscoreFamily } from '../evaluation/families/bertscore.ts';
import { checkReferences } from '../evaluation/read-cells.ts';
import { judgeFamilies } from '../evaluation/families/judge.ts';
import { pairwiseFamily } from '../evaluation/families/pairwise.ts';
import { textFamilies } from '../evaluation/families/text.ts';
import { callPerRow } from '../inference/call-per-row.ts';
import { type EvaluatedTask, checkGroundTruth, checkHasGroundTruth } from './task.ts';

/** A task for generative models, whose outputs are texts. */
const writingTask = (own: Pick<EvaluatedTask, 'defaultPrompt' | 'defaultMetrics'>): EvaluatedTask => ({
  ...own,
  modelTypes: [],
  hasChat: true,
  families: [...textFamilies, bertscoreFamily, ...judgeFamilies, pairwiseFamily],
  checkColumns: checkHasGroundTruth,
  labelsOf(row) {
    checkGroundTruth(row);
    checkReferences(row[GROUND_TRUTH]);
    return [];
  },
  showsAnswers: true,
  columns: ({ outputField }) => [outputField, 'reasoning', 'cached'],
  answer: (rows, context) =>
    callPerRow(rows, context, ({ text, reasoning }) => ({ [context.spec.outputField]: text, reasoning })),
});

export const summarization: EvaluatedTask = writingTask({
  defaultPrompt: () =>
    'Summarize the text of the user in a few sentences of the language that it is written in. Answer with the summary and nothing else.',
  defaultMetrics: ['rouge', 'meteor', 'bertscore', 'g_eval_summarization'],
});

export const textGeneration: EvaluatedTask = writingTask({
  defaultPrompt: () => undefined,
  defaultMetrics: ['rouge', 'meteor', 'bleu', 'bertscore'],
});

export const translation: EvaluatedTask = writingTask({
  defaultPrompt: (definition) =>
    definition.task === 'translation'
      ? `Translate the text of the user from ${definition.sourceLanguage} to ${definition.targetLanguage}. Answer with the translation and nothing else.`
      : undefined,
  defaultMetrics: ['bleu', 'meteor', 'g_eval_translation'],
});
