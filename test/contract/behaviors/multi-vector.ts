import type { Behaviors } from './behavior.ts';

/** What models of type multi_vector promise. */
export const MULTI_VECTOR = {
  'multi-vector:wires': {
    source: 'docs/build.md#model-types',
    behavior:
      'HTTP, gRPC and MCP return the vectors that PyLate computes for queries and for documents, and require the type of the texts.',
  },
  'multi-vector:rerank': {
    source: 'docs/serve.md',
    behavior:
      '/rerank in all its forms ranks documents by the sum of the greatest similarities, also with raw_scores.',
  },
  'multi-vector:other-routes': {
    source: 'docs/serve.md',
    behavior: 'Routes for one vector per text name the routes to use instead, and /model has the settings.',
  },
  'multi-vector:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer --input-type prints one list of vectors per text, also for files, and requires the flag.',
  },
  'multi-vector:guess': {
    source: 'docs/config.md',
    behavior:
      'A folder of PyLate or colbert-ai is built without a config, and the summary names the settings.',
  },
  'multi-vector:settings': {
    source: 'docs/config.md',
    behavior:
      'Keys of the config go before the files of the model; those that it cannot have are refused with a sentence.',
  },
  'multi-vector:exported': {
    source: 'docs/config.md',
    behavior:
      'A graph that ends with projected vectors is used as it is, and one that ends with hidden states gets the projection.',
  },
} as const satisfies Behaviors;
