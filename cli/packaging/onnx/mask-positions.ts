import type { AttributeProto } from '#gen/onnx/v1/onnx_pb.ts';
import { int } from '#core/onnx/attributes.ts';
import { FLOAT32, INT64 } from '#core/onnx/element-types.ts';

/** The logits of masked tokens. */
export const MASKED_OUTPUT = {
  name: 'masked_logits',
  shape: ['batch_size', 'masks', 'vocabulary_size'],
};

/** Adds nodes to a graph, which can be a new or an existing one. */
interface NodeWriter {
  op(opType: string, inputs: readonly string[], ...attributes: AttributeProto[]): string;
  results(
    opType: string,
    inputs: readonly string[],
    count: number,
    ...attributes: AttributeProto[]
  ): string[];
  float(value: number): string;
  integers(values: readonly number[], shape?: readonly number[]): string;
}

/**
 * Selects the rows of masked tokens from a value of texts x length x width. The result is texts x
 * masks x width. If a text has fewer masks than another one, the rows of its masks are followed by
 * rows of other tokens.
 */
export function selectMasked(g: NodeWriter, value: string, maskId: number): string {
  const isMask = g.op('Cast', [g.op('Equal', ['input_ids', g.integers([maskId])])], int('to', FLOAT32));
  const counted = g.op('CumSum', [isMask, g.integers([1], [])]);
  const max = g.op('Max', [g.op('ReduceMax', [counted], int('keepdims', 0)), g.float(1)]);
  const count = g.op('Reshape', [g.op('Cast', [max], int('to', INT64)), g.integers([1])]);
  // Among equal values, TopK takes the first ones, so masks stay in text order.
  const [, positions = ''] = g.results('TopK', [isMask, count], 2, int('axis', 1));
  return g.op('GatherND', [value, g.op('Reshape', [positions, g.integers([0, 0, 1])])], int('batch_dims', 1));
}
