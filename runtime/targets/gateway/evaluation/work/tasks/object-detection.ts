import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { BatchCall, DetectedObject } from '../backends/backend.ts';
import { detection } from '../evaluation/families/detection.ts';
import { readTrueObjects } from '../evaluation/read-objects.ts';
import { callBatched } from '../inference/call-batched.ts';
import { isFailure } from '../inference/inference.ts';
import { textOfRow } from '../inference/words.ts';
import { checkGroundTruth, checkHasGroundTruth, type EvaluatedTask } from './task.ts';

export const objectDetection: EvaluatedTask = {
  modelTypes: ['object_detection'],
  call: 'detect',
  readsImages: true,
  hasChat: false,
  defaultPrompt: () => '',
  defaultMetrics: ['map', 'map_50', 'map_75', 'per_label'],
  families: [detection],
  checkColumns: checkHasGroundTruth,
  labelsOf,
  showsAnswers: true,
  columns: ({ outputField }) => [outputField],
  async answer(rows, context) {
    const { outputField } = context.spec;
    const detect = context.model.detect as BatchCall<readonly DetectedObject[]>;
    const { answers, sharedTokens } = await callBatched(rows.map(textOfRow), detect, context);
    return {
      sharedTokens,
      answers: answers.map((answer) =>
        isFailure(answer)
          ? answer
          : {
              ...answer,
              value: {
                [outputField]: answer.value.map(({ box, ...found }) => ({ ...found, box: { ...box } })),
              },
            },
      ),
    };
  },
};

function labelsOf(row: RowCells): readonly string[] {
  checkGroundTruth(row);
  return readTrueObjects(row[GROUND_TRUTH]).map(({ label }) => label);
}
