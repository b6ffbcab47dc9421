import type { ScoreFunction } from '../../../contract/score-function.ts';
import { argmax } from '../../../core/argmax.ts';
import { applyScoreFunction } from '../../../core/score-function.ts';
import type { Transformed } from '../../../transform/transform-row.ts';

export interface LabelScores {
  readonly scores: Float32Array;
  /** The label that was found. */
  readonly index: number;
}

/**
 * The scores of one row of logits, and its label. A transform gives either of them (row `row` of what it made): its scores replace
 * those of the score function, its index that of the greatest.
 */
export function labelScores(
  logits: Float32Array,
  {
    scoreFunction = 'softmax',
    transformed,
    row = 0,
  }: { scoreFunction?: ScoreFunction | undefined; transformed?: Transformed | undefined; row?: number },
): LabelScores {
  if (transformed?.kind === 'scores') {
    const scores = transformed.data.subarray(row * logits.length, (row + 1) * logits.length);
    return { scores, index: argmax(scores) };
  }
  return {
    scores: applyScoreFunction(scoreFunction, logits),
    index: transformed?.data[row] ?? argmax(logits),
  };
}
