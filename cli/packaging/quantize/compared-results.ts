import type { ModelType } from '#contract/model-types.ts';
import type { Pooling } from '#contract/sentence.ts';
import type { ScoreFunction } from '#contract/score-function.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import { softmax } from '#core/numbers/softmax.ts';
import { poolRows } from '#core/vectors/pooling.ts';
import type { Compared } from './accuracy.ts';

/** What determines how results are compared. */
export interface ComparedModel {
  readonly modelType: ModelType;
  /** Size of the last axis of the output. */
  readonly width: number;
  /** Only for sentence_embedding models. */
  readonly pooling: Pooling | readonly Pooling[] | undefined;
  /** Only for sequence_classification models. */
  readonly scoreFunction: ScoreFunction | undefined;
}

/** Turns the output of a graph for one text into what users compare: vectors, or scores of labels. */
export function comparedResult(values: Float32Array, model: ComparedModel): Compared {
  return COMPARED[model.modelType](values, model);
}

type Compare = (values: Float32Array, model: ComparedModel) => Compared;

const tokenVectors: Compare = (values, { width }) => ({ kind: 'vectors', rows: rowsOf(values, width) });
const textScores: Compare = (values, { width, scoreFunction = 'softmax' }) =>
  width === 1
    ? { kind: 'score', value: values[0] ?? 0 }
    : { kind: 'scores', rows: [applyScoreFunction(scoreFunction, values)] };
const tokenScores: Compare = (values, { width }) => ({
  kind: 'scores',
  rows: rowsOf(values, width).map(softmax),
});

const COMPARED: Record<ModelType, Compare> = {
  embedding: tokenVectors,
  multi_vector: tokenVectors,
  sentence_embedding: (values, { width, pooling = 'none' }) => ({
    kind: 'vectors',
    rows: [poolRows(values, width, pooling)],
  }),
  sparse_embedding: (values) => ({ kind: 'vectors', rows: [values] }),
  sequence_classification: textScores,
  zero_shot_classification: textScores,
  token_classification: tokenScores,
  fill_mask: tokenScores,
  // The first of two values of each token is the score of a start, the second one that of an end.
  question_answering: (values) => ({
    kind: 'scores',
    rows: [0, 1].map((position) => softmax(values.filter((_, at) => at % 2 === position))),
  }),
  zero_shot_ner: tokenScores,
};

const rowsOf = (values: Float32Array, width: number): Float32Array[] =>
  Array.from({ length: values.length / width }, (_, row) => values.subarray(row * width, (row + 1) * width));
