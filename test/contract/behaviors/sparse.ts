import type { Behaviors } from './behavior.ts';

/** Documented behavior of sparse_embedding models. */
export const SPARSE = {
  'sparse:golden': {
    source: 'docs/build.md#model-types',
    behavior:
      'Sparse vectors for all golden texts over HTTP, gRPC and MCP match sentence-transformers, regardless of the batch.',
  },
  'sparse:options': {
    source: 'docs/serve.md',
    behavior:
      'max_active_dims keeps only the largest values, tokens adds the words, and invalid values are rejected.',
  },
  'sparse:tei': {
    source: 'docs/serve.md',
    behavior:
      '/embed_sparse and / return lists of index and value in the format of text-embeddings-inference, and /similarity returns the dot product.',
  },
  'sparse:facts': {
    source: 'docs/serve.md',
    behavior: '/model, /info, GetModelMetadata, inspect and the OpenAPI document describe sparse vectors.',
  },
  'sparse:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer prints the indices and values for each text, with --input as well as with arguments, and the tokens on request.',
  },
  'sparse:queries': {
    source: 'docs/serve.md#queries-from-a-table',
    behavior:
      'A sparse model with a table for queries returns the same vectors as sentence-transformers for queries and documents over HTTP, gRPC and MCP, and /similarity compares a query with documents.',
  },
  'sparse:queries-infer': {
    source: 'docs/infer.md',
    behavior:
      'infer --input-type query prints the weights of the table, and is rejected for other sparse models.',
  },
  'sparse:queries-build': {
    source: 'docs/config.md',
    behavior:
      'The weights of queries are read from a Router of sentence-transformers, from idf.json and from query_token_weights.txt.',
  },
  'sparse:queries-refused': {
    source: 'docs/config.md',
    behavior:
      'Routes and tables that would return other vectors than sentence-transformers are rejected with a reason.',
  },
  'sparse:build': {
    source: 'docs/config.md',
    behavior:
      'A folder with SpladePooling does not require a config, and an exported graph with logits returns the same vectors.',
  },
  'sparse:build-refused': {
    source: 'docs/config.md',
    behavior: 'Models and settings that cannot produce sparse vectors each cause a one-sentence error.',
  },
} as const satisfies Behaviors;
