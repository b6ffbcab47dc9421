import type { TaskDefinition } from '../work.ts';
import type { EvaluatedTask } from './task.ts';
import { featureExtraction } from './feature-extraction.ts';
import { summarization } from './summarization.ts';
import { textClassification } from './text-classification.ts';
import { textGeneration } from './text-generation.ts';
import { tokenClassification } from './token-classification.ts';
import { translation } from './translation.ts';

export const EVALUATED_TASKS: Readonly<Record<TaskDefinition['task'], EvaluatedTask>> = {
  'text-classification': textClassification,
  'token-classification': tokenClassification,
  'feature-extraction': featureExtraction,
  summarization,
  translation,
  'text-generation': textGeneration,
};
