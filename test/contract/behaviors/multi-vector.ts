import type { Behaviors } from './behavior.ts';

/** What models of type multi_vector promise. */
export const MULTI_VECTOR = {
  'multi-vector:wires': {
    source: 'docs/build.md#model-types',
    behavior:
      'HTTP, gRPC and MCP return the same vectors as PyLate for queries and documents, and require the type of the texts.',
  },
  'multi-vector:rerank': {
    source: 'docs/serve.md',
    behavior:
      'All formats of /rerank rank documents by the sum of maximum similarities, also with raw_scores.',
  },
  'multi-vector:other-routes': {
    source: 'docs/serve.md',
    behavior: 'Routes for one vector per text name the alternatives, and /model returns the settings.',
  },
  'multi-vector:infer': {
    source: 'docs/infer.md',
    behavior: 'infer --input-type prints one list of vectors per text, also for files, and is required.',
  },
  'multi-vector:guess': {
    source: 'docs/config.md',
    behavior: 'A PyLate or colbert-ai folder is built without a config, and the summary names the settings.',
  },
  'multi-vector:settings': {
    source: 'docs/config.md',
    behavior:
      "Config settings take precedence over the model's files; settings that the model does not support are rejected with a reason.",
  },
  'multi-vector:exported': {
    source: 'docs/config.md',
    behavior:
      'A graph that ends with projected vectors is used as is, and one that ends with hidden states gets the projection.',
  },
} as const satisfies Behaviors;
