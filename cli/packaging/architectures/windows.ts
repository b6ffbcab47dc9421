import { type EncoderGraph, MASKED } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/**
 * A constant attention bias: 0 for pairs of nearby tokens, and a large negative number for other
 * pairs; 1 x 1 x length x length.
 */
export function windowBias(g: EncoderGraph, distance: number): Value {
  const { writer } = g;
  return writer.once(`window of ${distance}`, () => {
    const isFar = isOutside(g, distance);
    const bias = writer.op('Where', [isFar, writer.float(MASKED), writer.float(0)]);
    return writer.op('Unsqueeze', [bias, writer.integers([0, 1])]);
  });
}

/** Whether two tokens are farther apart, length x length. */
export const isOutside = (g: EncoderGraph, distance: number): Value =>
  g.writer.op('Greater', [g.writer.op('Abs', [g.distances]), g.writer.integer(distance)]);
