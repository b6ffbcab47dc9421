import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/**
 * A constant attention bias: 0 for pairs of nearby tokens, and a large negative number for other
 * pairs; 1 x 1 x length x length.
 */
export function windowBias(g: EncoderGraph, distance: number): Value {
  const { writer } = g;
  return writer.once(`window of ${distance}`, () => {
    const isFar = writer.op('Greater', [writer.op('Abs', [g.distances]), writer.integer(distance)]);
    // Not the lowest float32, which would overflow to infinity when added to the padding mask.
    const bias = writer.op('Where', [isFar, writer.float(-1e30), writer.float(0)]);
    return writer.op('Unsqueeze', [bias, writer.integers([0, 1])]);
  });
}
