import type { ScoreFunction } from '#contract/score-function.ts';
import { sigmoid, softmax } from './softmax.ts';

/** Computes the scores of one row of logits. */
export const applyScoreFunction = (scoreFunction: ScoreFunction, logits: Float32Array): Float32Array =>
  APPLY[scoreFunction](logits);

const APPLY: Record<ScoreFunction, (logits: Float32Array) => Float32Array> = {
  softmax,
  sigmoid,
  none: (logits) => logits,
};
