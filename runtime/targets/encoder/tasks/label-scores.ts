import type { ScoreFunction } from '#contract/score-function.ts';
import { argmax } from '#core/numbers/argmax.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import type { Transformed } from '#transform/transform-row.ts';

export interface LabelScores {
  readonly scores: Float32Array;
  /** Index of the predicted label. */
  readonly index: number;
}

/**
 * Returns the scores of one row of logits and the predicted label. A transform (row `row` of its result) can replace either:
 * its scores replace those of the score function, its index replaces the argmax.
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
