import type { SparseSettings } from '#contract/sparse.ts';
import type { GraphProto, ModelProto } from '#gen/onnx/v1/onnx_pb.ts';
import { int, ints } from './attributes.ts';
import { FLOAT32 } from './element-types.ts';
import { GraphAppender } from './graph-appender.ts';
import type { SelectedOutput } from './select-output.ts';

/** What a graph that pools logits itself returns, and what it returns after this step. */
export const SPARSE_OUTPUT: SelectedOutput = {
  name: 'sparse_embedding',
  shape: ['batch_size', 'vocabulary_size'],
};

/**
 * Appends SPLADE pooling to a graph that returns float32 token logits, because the logits of one
 * text can take many megabytes. Modifies the graph.
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
  /** The logits with 0 for padding, which the activation never makes greater than a token's logit. */
  const maskOut = (): string => {
    const mask = g.op('Cast', [MASK], int('to', FLOAT32));
    return g.op('Mul', [logits, g.op('Reshape', [mask, g.integers([0, 0, 1])])]);
  };
  const masked = graph.input.some(({ name }) => name === MASK) ? maskOut() : logits;
  // The activation is monotonic, so it can follow the maximum, where it processes fewer values.
  const pooled =
    pooling === 'sum' ? reduce('ReduceSum', activate(masked)) : activate(reduce('ReduceMax', masked));
  g.finish(pooled, SPARSE_OUTPUT);
}

const MASK = 'attention_mask';

/** The ONNX version from which these operators take axes as an input instead of an attribute. */
const AXES_AS_INPUT = { ReduceMax: 18, ReduceSum: 13 } as const;
