import type { RowCells } from '../../datasets/dataset.ts';
import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { LabelScores } from '../../../providers/adapters/provider.ts';
import { classification } from '../evaluation/families/classification.ts';
import { calibrationFamily } from '../evaluation/families/calibration.ts';
import { rankingFamily } from '../evaluation/families/ranking.ts';
import { cellLabels } from '../evaluation/read-cells.ts';
import { isFailure } from '../inference/inference.ts';
import { callPerRow } from '../inference/call-per-row.ts';
import { callBatched } from '../inference/call-batched.ts';
import { labelInAnswer } from '../inference/label-in-answer.ts';
import { textOfRow } from '../inference/words.ts';
import { type EvaluatedTask, checkGroundTruth, checkHasGroundTruth } from './task.ts';

export const SCORES = 'scores';

export const textClassification: EvaluatedTask = {
  modelTypes: ['sequence_classification'],
  call: 'classify',
  hasChat: true,
  defaultPrompt: (_definition, labels) =>
    [
      'Classify the text of the user. Answer with one label and nothing else.',
      ...(labels.length === 0 ? [] : [`The labels are: ${JSON.stringify(labels)}`]),
    ].join('\n'),
  defaultMetrics: ['accuracy', 'precision', 'recall', 'f1', 'mcc', 'confusion_matrix', 'log_loss', 'ece'],
  families: [classification, calibrationFamily, rankingFamily],
  checkColumns: checkHasGroundTruth,
  labelsOf,
  showsAnswers: true,
  columns: ({ outputField }) => [outputField, SCORES, 'reasoning', 'cached'],
  async answer(rows, context) {
    const { model, spec } = context;
    const { outputField, labels } = spec;
    const { classify } = model;
    if (!classify) {
      return callPerRow(rows, context, ({ text, reasoning }) => ({
        [outputField]: labelInAnswer(text, labels),
        reasoning,
      }));
    }
    const { answers, sharedTokens } = await callBatched(rows.map(textOfRow), classify, context);
    return {
      sharedTokens,
      answers: answers.map((answer) =>
        isFailure(answer)
          ? answer
          : { ...answer, value: { [outputField]: best(answer.value), [SCORES]: answer.value } },
      ),
    };
  },
};

function labelsOf(row: RowCells): readonly string[] {
  checkGroundTruth(row);
  const labels = cellLabels(row[GROUND_TRUTH]);
  return typeof labels === 'string' ? [labels] : labels;
}

function best(scores: LabelScores): string {
  let [found, highest] = ['', -Infinity];
  for (const [label, score] of Object.entries(scores)) if (score > highest) [found, highest] = [label, score];
  return found;
}
