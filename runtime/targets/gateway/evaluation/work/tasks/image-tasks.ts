import { featureExtraction } from './feature-extraction.ts';
import type { EvaluatedTask } from './task.ts';
import { SCORES, textClassification } from './text-classification.ts';

/** As for texts, with images as strings in the same columns. */
export const imageClassification: EvaluatedTask = {
  ...textClassification,
  modelTypes: ['image_classification'],
  readsImages: true,
  hasChat: false,
  defaultPrompt: () => '',
  defaultMetrics: [...textClassification.defaultMetrics, 'top_5_accuracy'],
  columns: ({ outputField }) => [outputField, SCORES],
};

export const imageFeatureExtraction: EvaluatedTask = {
  ...featureExtraction,
  modelTypes: ['image_embedding'],
  readsImages: true,
};
