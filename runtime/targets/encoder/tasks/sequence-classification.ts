import { argmax } from '../../../core/argmax.ts';
import { shortestFloat32 } from '../../../core/float32.ts';
import { softmax } from '../../../core/softmax.ts';
import type { Task } from './task.ts';

interface SequenceClassificationResult {
  readonly logits: Float32Array;
  readonly scores: Float32Array;
  readonly predicted_index: number;
  readonly predicted_label?: string;
}

export const sequenceClassification: Task<SequenceClassificationResult> = {
  printedAs: 'predictions',

  result({ values }, { id2label }) {
    const scores = softmax(values);
    const index = argmax(values);
    const label = id2label?.[index];
    return {
      logits: values,
      scores,
      predicted_index: index,
      ...(label === undefined ? {} : { predicted_label: label }),
    };
  },

  printed(inference, manifest, options) {
    const result = sequenceClassification.result(inference, manifest, options);
    return {
      label: result.predicted_label ?? String(result.predicted_index),
      score: shortestFloat32(result.scores[result.predicted_index] ?? 0),
    };
  },
};
