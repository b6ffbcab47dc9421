import type { Behaviors } from './behavior.ts';

/** Documented behavior of sentence_embedding models with the three outputs of BAAI/bge-m3. */
export const M3 = {
  'm3:outputs': {
    source: 'docs/serve.md#dense-sparse-and-multi-vector-outputs',
    behavior:
      'Dense, sparse and multi-vector outputs for all golden texts over HTTP, gRPC and MCP match FlagEmbedding, in one request or in several.',
  },
  'm3:options': {
    source: 'docs/serve.md',
    behavior:
      'max_active_dims, tokens, normalize and dimensions apply only to the relevant outputs, and invalid outputs are rejected.',
  },
  'm3:routes': {
    source: 'docs/serve.md',
    behavior:
      '/embed, /v1/embeddings and /similarity use dense vectors, and /embed_sparse uses sparse vectors; /model, /openapi.json and the MCP tool list the outputs.',
  },
  'm3:rerank': {
    source: 'docs/serve.md',
    behavior: "/rerank returns FlagEmbedding's scores for the weights in the request.",
  },
  'm3:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer --outputs prints the selected outputs for each text, with --input as well as with arguments.',
  },
  'm3:build': {
    source: 'docs/config.md',
    behavior:
      'A folder with sparse_linear.pt and colbert_linear.pt does not require a config; exports with hidden states or with three outputs return the same numbers.',
  },
  'm3:build-without': {
    source: 'docs/config.md',
    behavior:
      'The build explains why a model has only dense vectors, and rejects damaged or unrelated files with a one-sentence error.',
  },
} as const satisfies Behaviors;
