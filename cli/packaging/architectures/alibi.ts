import { int } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/**
 * The bias of ALiBi, which lowers scores in proportion to the distance between tokens, in both
 * directions; 1 x heads x length x length.
 */
export function alibiBias(g: EncoderGraph, heads: number): Value {
  const { writer } = g;
  const distances = writer.op('Cast', [writer.op('Abs', [g.distances])], int('to', FLOAT32));
  const slopes = Float32Array.from(slopesOf(heads), (slope) => -slope);
  const byHead = writer.op('Unsqueeze', [distances, writer.integers([0, 1])]);
  return g.multiply(byHead, writer.floats(slopes, [1, heads, 1, 1]));
}

/**
 * The slopes are a geometric sequence if the number of heads is a power of 2. Otherwise, the other
 * heads have every second slope of the sequence for twice the next smaller power of 2.
 */
function slopesOf(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const sequence = (count: number): number[] =>
    Array.from({ length: count }, (_, at) => 2 ** ((-8 * (at + 1)) / count));
  const others = sequence(2 * power).filter((_, at) => at % 2 === 0);
  return [...sequence(power), ...others.slice(0, heads - power)];
}
