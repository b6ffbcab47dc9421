import type { Behaviors } from './behavior.ts';

/** Documented behavior of multi_vector models. */
export const MULTI_VECTOR = {
  'multi-vector:wires': {
    source: 'docs/build.md#model-types',
    behavior:
      'HTTP, gRPC and MCP return the same vectors as PyLate for queries and documents, and require the input type.',
  },
  'multi-vector:rerank': {
    source: 'docs/serve.md',
    behavior:
      'All formats of /rerank rank documents by the sum of maximum similarities, even with raw_scores.',
  },
  'multi-vector:other-routes': {
    source: 'docs/serve.md',
    behavior:
      'Routes that return one vector per text name the alternatives in an error, and /model returns the settings.',
  },
  'multi-vector:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer requires --input-type and prints one list of vectors per text, with --input as well as with arguments.',
  },
  'multi-vector:guess': {
    source: 'docs/config.md',
    behavior:
      'A PyLate or colbert-ai folder can be built without a config, and the build summary shows the settings.',
  },
  'multi-vector:settings': {
    source: 'docs/config.md',
    behavior:
      "Config settings take precedence over the model's files, and settings that the model does not support are rejected with a reason.",
  },
  'multi-vector:exported': {
    source: 'docs/config.md',
    behavior:
      'A graph that ends with projected vectors is used as is, and the projection is applied to the output of a graph that ends with hidden states.',
  },
} as const satisfies Behaviors;
