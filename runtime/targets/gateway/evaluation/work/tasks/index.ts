import type { TaskDefinition } from '../work.ts';
import type { EvaluatedTask } from './task.ts';
import { conversation } from './conversation.ts';
import { featureExtraction } from './feature-extraction.ts';
import { summarization, textGeneration, translation } from './writing-task.ts';
import { imageClassification, imageFeatureExtraction } from './image-tasks.ts';
import { objectDetection } from './object-detection.ts';
import { textClassification } from './text-classification.ts';
import { tokenClassification } from './token-classification.ts';

/** Whether a task's results are vectors: they cannot be read, and are evaluated without a ground truth. */
export const returnsVectors = ({ task }: TaskDefinition): boolean => EVALUATED_TASKS[task].call === 'embed';

/** Whether a task evaluates rows without a ground truth, whose expectations are in other columns. */
export const hasOptionalTruth = ({ task }: TaskDefinition): boolean =>
  EVALUATED_TASKS[task].hasOptionalTruth === true;

export const EVALUATED_TASKS: Readonly<Record<TaskDefinition['task'], EvaluatedTask>> = {
  'text-classification': textClassification,
  'token-classification': tokenClassification,
  'feature-extraction': featureExtraction,
  'image-classification': imageClassification,
  'image-feature-extraction': imageFeatureExtraction,
  'object-detection': objectDetection,
  summarization,
  translation,
  'text-generation': textGeneration,
  conversation,
};
