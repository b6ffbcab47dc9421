import { argmax } from '../../../core/argmax.ts';
import { sigmoid, softmax } from '../../../core/softmax.ts';
import type { Transformed } from '../../../transform/transform-row.ts';

export interface LabelScores {
  readonly scores: Float32Array;
  /** The label that was found. */
  readonly index: number;
}

/**
 * The scores of one row of logits, and its label. A transform gives either of them (row `row` of what it made): its scores take
 * the place of softmax's, its index that of the greatest.
 */
export function labelScores(
  logits: Float32Array,
  {
    multiLabel = false,
    transformed,
    row = 0,
  }: { multiLabel?: boolean | undefined; transformed?: Transformed | undefined; row?: number },
): LabelScores {
  if (transformed?.kind === 'scores') {
    const scores = transformed.data.subarray(row * logits.length, (row + 1) * logits.length);
    return { scores, index: argmax(scores) };
  }
  const scores = multiLabel ? sigmoid(logits) : softmax(logits);
  return { scores, index: transformed?.data[row] ?? argmax(logits) };
}
