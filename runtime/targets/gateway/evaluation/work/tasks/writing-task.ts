import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import { bertscoreFamily } from '../evaluation/families/bertscore.ts';
import { checkReferences } from '../evaluation/reference-texts.ts';
import { judgeFamilies } from '../evaluation/families/judge.ts';
import { textFamilies } from '../evaluation/families/text.ts';
import { callPerRow } from '../inference/call-per-row.ts';
import type { EvaluatedTask } from './task.ts';
import { checkGroundTruth, checkHasGroundTruth } from './check-ground-truth.ts';

/** A task for generative models, whose answers are texts. */
export const writingTask = (own: Pick<EvaluatedTask, 'defaultPrompt' | 'defaultMetrics'>): EvaluatedTask => ({
  ...own,
  modelTypes: [],
  hasChat: true,
  families: [...textFamilies, bertscoreFamily, ...judgeFamilies],
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
