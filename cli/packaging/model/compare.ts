import type { ScoreFunction } from '#contract/score-function.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import type { Pooling } from '#contract/sentence.ts';
import { softmax } from '#core/numbers/softmax.ts';
import { poolRows } from '#core/vectors/pooling.ts';
import type { Compare } from '../quantize/accuracy.ts';

/** For models with one vector per token. */
export const compareTokenVectors =
  (width: number): Compare =>
  (values) => ({ kind: 'vectors', rows: rowsOf(values, width) });

/** For models with one or more scores per text. */
export const compareTextScores =
  (width: number, scoreFunction: ScoreFunction = 'softmax'): Compare =>
  (values) =>
    width === 1
      ? { kind: 'score', value: values[0] ?? 0 }
      : { kind: 'scores', rows: [applyScoreFunction(scoreFunction, values)] };

/** For models with label scores for each token. */
export const compareTokenScores =
  (width: number): Compare =>
  (values) => ({ kind: 'scores', rows: rowsOf(values, width).map(softmax) });

/**
 * For question answering: compares the start scores and the end scores, which are the first and
 * second value of each token.
 */
export const compareAnswers: Compare = (values) => ({
  kind: 'scores',
  rows: [0, 1].map((position) => softmax(values.filter((_, at) => at % 2 === position))),
});

/** For models with one vector per text, pooled from token vectors. */
export const compareTextVectors =
  (width: number, pooling: Pooling | readonly Pooling[] = 'none'): Compare =>
  (values) => ({ kind: 'vectors', rows: [poolRows(values, width, pooling)] });

const rowsOf = (values: Float32Array, width: number): Float32Array[] =>
  Array.from({ length: values.length / width }, (_, row) => values.subarray(row * width, (row + 1) * width));
