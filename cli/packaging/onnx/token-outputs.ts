import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import { appendTokenOutput, type ProjectionLayer } from './append-projection.ts';

/** Layers after the hidden states: the first computes a weight for each token, the second a vector. */
export interface TokenHeads {
  readonly sparse: ProjectionLayer;
  readonly multiVector: ProjectionLayer;
}

/** Names of the outputs with a weight for each token and with a vector for each token. */
export interface TokenOutputNames {
  readonly sparse: string;
  readonly multiVector: string;
}

/** Names of these outputs in published exports of BAAI/bge-m3. */
const EXPORTED: readonly TokenOutputNames[] = [
  { sparse: 'sparse_vecs', multiVector: 'colbert_vecs' },
  { sparse: 'sparse', multiVector: 'colbert' },
];

/** Returns the outputs of an export that computes weights and vectors itself. */
export const exportedOutputs = ({
  output,
}: {
  readonly output: readonly { readonly name: string }[];
}): TokenOutputNames | undefined =>
  EXPORTED.find(({ sparse, multiVector }) =>
    [sparse, multiVector].every((name) => output.some((one) => one.name === name)),
  );

const ADDED: TokenOutputNames = { sparse: 'token_weights', multiVector: 'token_vectors' };

/** Appends both layers to a graph's float32 hidden states, which remain an output. Modifies the graph. */
export function addTokenOutputs(graph: GraphProto, hidden: string, heads: TokenHeads): TokenOutputNames {
  appendTokenOutput(graph, hidden, heads.sparse, ADDED.sparse);
  appendTokenOutput(graph, hidden, heads.multiVector, ADDED.multiVector);
  return ADDED;
}
