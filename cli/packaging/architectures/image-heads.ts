import { int } from '#core/onnx/attributes.ts';
import type { Value } from './graph-writer.ts';
import type { ImageGraph } from './image-graph.ts';

/** The layers that compute one row per image from an encoder's hidden states. */
export type ImageHead = (g: ImageGraph, states: Value) => Value;

/** The vector of one token of each image. */
export const tokenAt =
  (position: number): ImageHead =>
  (g, states) =>
    g.writer.op('Gather', [states, g.writer.integer(position)], int('axis', 1));

/** The mean of the vectors of an image, from a position on. */
export function meanFrom(g: ImageGraph, states: Value, first: number): Value {
  const bounds = [[first], [Number.MAX_SAFE_INTEGER], [1]].map((list) => g.writer.integers(list));
  return g.mean(first === 0 ? states : g.writer.op('Slice', [states, ...bounds]), [1]);
}

/** Scores from one vector per image. A model without labels has no label layer. */
export const labelsOf =
  (vector: ImageHead, layer = 'classifier'): ImageHead =>
  (g, states) =>
    g.linear(vector(g, states), layer);

/** A dense layer on the first token, if the model was saved with one, or else the token itself. */
export const pooledToken: ImageHead = (g, states) => {
  const first = tokenAt(0)(g, states);
  if (!g.hasWeight('pooler.dense.weight')) return first;
  return g.activation(g.linear(first, 'pooler.dense'), g.config.text('pooler_act', 'tanh'));
};

/** The mean of a map: images x channels x height x width. */
export const meanOfMap: ImageHead = (g, map) => g.mean(map, [2, 3]);
