import { lookup } from '#core/values/lookup.ts';
import type { GraphProto, NodeProto } from '#gen/onnx/v1/onnx_pb.ts';
import { readNumber } from '#core/onnx/attributes.ts';

/** Returns the number of axes of a value; undefined if the graph does not show it. */
export type RankOf = (name: string) => number | undefined;

/** Finds the number of axes of the values of a graph, as far as the operators of encoders determine it. */
export function valueRanks(graph: GraphProto): RankOf {
  const known = new Map<string, number | undefined>([
    ...graph.input.map(({ name, type }) => [name, type?.tensorType?.shape?.dim.length] as const),
    ...graph.initializer.map(({ name, dims }) => [name, dims.length] as const),
  ]);
  const lengths = new Map(
    graph.initializer.map(({ name, dims }) => [name, dims.length === 1 ? Number(dims[0]) : undefined]),
  );
  // Nodes are in topological order, so the inputs of a node are known before it is reached.
  for (const node of graph.node) {
    const ranks = node.input.map((name) => (name === '' ? undefined : known.get(name)));
    const sizes = node.input.map((name) => lengths.get(name));
    const rank = RULES[node.opType]?.(ranks, node, sizes);
    for (const name of node.output) known.set(name, rank);
    lengths.set(node.output[0] ?? '', lengthOf(node, ranks, sizes));
  }
  return (name) => known.get(name);
}

type Ranks = readonly (number | undefined)[];
/** Lengths of lists. */
type Lengths = readonly (number | undefined)[];
type Rule = (ranks: Ranks, node: NodeProto, lengths: Lengths) => number | undefined;

const same: Rule = ([first]) => first;

/** Operators that repeat axes of size 1 have as many axes as the input with the most. */
const widest: Rule = (ranks) =>
  ranks.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.max(a, b)));

const fixed =
  (rank: number): Rule =>
  () =>
    rank;

const RULES = lookup<Rule>({
  ...Object.fromEntries(
    [
      'Abs',
      'BiasGelu',
      'Cast',
      'Concat',
      'Conv',
      'Dropout',
      'Erf',
      'FastGelu',
      'Gelu',
      'Identity',
      'LayerNormalization',
      'Neg',
      'Not',
      'QuickGelu',
      'Relu',
      'RotaryEmbedding',
      'Sigmoid',
      'SimplifiedLayerNormalization',
      'Slice',
      'Softmax',
      'Split',
      'Sqrt',
      'Tanh',
      'Transpose',
    ].map((name) => [name, same]),
  ),
  ...Object.fromEntries(
    [
      'Add',
      'And',
      'Div',
      'Equal',
      'FusedMatMul',
      'Greater',
      'Less',
      'MatMul',
      'Mul',
      'Or',
      'Pow',
      'Sub',
      'Where',
    ].map((name) => [name, widest]),
  ),
  FusedGemm: fixed(2),
  Gemm: fixed(2),
  MultiHeadAttention: fixed(3),
  Range: fixed(1),
  Shape: fixed(1),
  Reshape: (_ranks, _node, [, length]) => length,
  Expand: ([rank], _node, [, length]) =>
    rank === undefined || length === undefined ? undefined : Math.max(rank, length),
  Gather: ([data, indices]) => (data === undefined || indices === undefined ? undefined : data + indices - 1),
  Unsqueeze: ([rank], _node, [, axes]) =>
    rank === undefined || axes === undefined ? undefined : rank + axes,
});

/** The length of a list that a node computes, which is a shape in most cases. */
function lengthOf(node: NodeProto, ranks: Ranks, lengths: Lengths): number | undefined {
  switch (node.opType) {
    case 'Shape': {
      const [rank] = ranks;
      if (rank === undefined) return undefined;
      const from = readNumber(node, 'start', 0);
      const to = Math.min(readNumber(node, 'end', rank), rank);
      return (to < 0 ? to + rank : to) - (from < 0 ? from + rank : from);
    }
    case 'Concat':
      return lengths.reduce<number | undefined>(
        (sum, length) => (sum === undefined || length === undefined ? undefined : sum + length),
        0,
      );
    case 'Unsqueeze':
      return ranks[0] === 0 ? 1 : undefined;
    case 'Cast':
    case 'Identity':
      return lengths[0];
    default:
      return undefined;
  }
}
