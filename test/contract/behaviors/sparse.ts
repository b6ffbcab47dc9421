import type { Behaviors } from './behavior.ts';

/** What models of type sparse_embedding promise. */
export const SPARSE = {
  'sparse:golden': {
    source: 'docs/build.md#model-types',
    behavior:
      'Sparse vectors of all golden texts over HTTP, gRPC and MCP are those of sentence-transformers, whatever the batch.',
  },
  'sparse:options': {
    source: 'docs/serve.md',
    behavior:
      'max_active_dims keeps the greatest values, tokens adds the words, and wrong values are refused.',
  },
  'sparse:tei': {
    source: 'docs/serve.md',
    behavior:
      '/embed_sparse and / return lists of index and value as text-embeddings-inference does, /similarity the dot product.',
  },
  'sparse:facts': {
    source: 'docs/serve.md',
    behavior: '/model, /info, GetModelMetadata, inspect and the OpenAPI document describe sparse vectors.',
  },
  'sparse:infer': {
    source: 'docs/infer.md',
    behavior: 'infer prints indices and values of each text, also for files, and tokens on request.',
  },
  'sparse:build': {
    source: 'docs/config.md',
    behavior:
      'A folder with SpladePooling needs no config, and an exported graph with logits gives the same vectors.',
  },
  'sparse:build-refused': {
    source: 'docs/config.md',
    behavior: 'Models and settings that give no sparse vectors are refused, each with one sentence.',
  },
} as const satisfies Behaviors;
