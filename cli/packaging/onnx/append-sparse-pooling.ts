import type { SparseSettings } from '#contract/sparse.ts';
import type { GraphProto, ModelProto } from '#gen/onnx/v1/onnx_pb.ts';
import { int, ints } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { GraphAppender } from '#core/onnx/graph-appender.ts';
import type { SelectedOutput } from './select-output.ts';

/** The output of a graph with built-in pooling of logits, and of a graph after `appendSparsePooling`. */
export const SPARSE_OUTPUT: SelectedOutput = {
  name: 'sparse_embedding',
  shape: ['batch_size', 'vocabulary_size'],
};

/**
 * Appends SPLADE pooling to a graph that returns float32 token logits. It is part of the graph,
 * because the logits of a single text can take many megabytes. Modifies the graph.
 */
export function appendSparsePooling(
  model: ModelProto,
  graph: GraphProto,
  logits: string,
  { pooling, activation }: SparseSettings,
): void {
  const g = new GraphAppender(model, graph, 'sparse');
  const one = g.float(1);
  const reduce = (opType: 'ReduceMax' | 'ReduceSum', value: string): string => {
    const keep = int('keepdims', 0);
    if (g.opset < AXES_AS_INPUT[opType]) return g.op(opType, [value], ints('axes', [1]), keep);
    return g.op(opType, [value, g.integers([1])], keep);
  };
  const activate = (value: string): string => {
    const logarithm = (from: string): string => g.op('Log', [g.op('Add', [from, one])]);
    const first = logarithm(g.op('Relu', [value]));
    return activation === 'relu' ? first : logarithm(first);
  };
  /**
   * Replaces the logits of padding with 0. They do not affect the result, because the activation
   * maps 0 to 0 and all other logits to at least 0.
   */
  const maskOut = (): string => {
    const mask = g.op('Cast', [MASK], int('to', FLOAT32));
    return g.op('Mul', [logits, g.op('Reshape', [mask, g.integers([0, 0, 1])])]);
  };
  const masked = graph.input.some(({ name }) => name === MASK) ? maskOut() : logits;
  // The activation is applied after the maximum, where there are fewer values. This is possible
  // because it is monotonic.
  const pooled =
    pooling === 'sum' ? reduce('ReduceSum', activate(masked)) : activate(reduce('ReduceMax', masked));
  g.finish(pooled, SPARSE_OUTPUT);
}

const MASK = 'attention_mask';

/** The opset version from which these operators receive the axes as an input instead of an attribute. */
const AXES_AS_INPUT = { ReduceMax: 18, ReduceSum: 13 } as const;
