import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import { appendTokenOutput, type ProjectionLayer } from './append-projection.ts';

/** Layers after the hidden states: one computes a weight per token, one a vector. */
export interface TokenHeads {
  readonly sparse: ProjectionLayer;
  readonly multiVector: ProjectionLayer;
}

/** Names of the outputs with a weight and with a vector per token. */
export interface TokenOutputNames {
  readonly sparse: string;
  readonly multiVector: string;
}

/** Names of these outputs in published exports of BAAI/bge-m3. */
const EXPORTED: readonly TokenOutputNames[] = [
  { sparse: 'sparse_vecs', multiVector: 'colbert_vecs' },
  { sparse: 'sparse', multiVector: 'colbert' },
];

/** The outputs of an export that computes both itself. */
export const exportedOutputs = ({
  output,
}: {
  readonly output: readonly { readonly name: string }[];
}): TokenOutputNames | undefined =>
  EXPORTED.find(({ sparse, multiVector }) =>
    [sparse, multiVector].every((name) => output.some((one) => one.name === name)),
  );

const ADDED: TokenOutputNames = { sparse: 'token_weights', multiVector: 'token_vectors' };

/** Adds both layers after a graph's float32 hidden states, which remain an output. Modifies the graph. */
export function addTokenOutputs(graph: GraphProto, hidden: string, heads: TokenHeads): TokenOutputNames {
  appendTokenOutput(graph, hidden, heads.sparse, ADDED.sparse);
  appendTokenOutput(graph, hidden, heads.multiVector, ADDED.multiVector);
  return ADDED;
}
