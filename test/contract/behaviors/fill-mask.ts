import type { Behaviors } from './behavior.ts';

/** Documented behavior of fill_mask models. */
export const FILL_MASK = {
  'mask:golden': {
    source: 'docs/build.md#model-types',
    behavior:
      'Candidates, scores and sequences over HTTP, gRPC and MCP match the transformers pipeline, regardless of the batch.',
  },
  'mask:options': {
    source: 'docs/serve.md',
    behavior:
      'top_k and targets work as in the transformers pipeline; a text without a mask and a target with several tokens are rejected.',
  },
  'mask:inference-api': {
    source: 'docs/serve.md',
    behavior: '/ and /predict with `parameters` return responses in the format of the Inference API.',
  },
  'mask:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer prints the candidates for each mask, with --input as well as with arguments; a text without a mask causes an error.',
  },
  'mask:infer-targets': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      '--targets scores only the specified words, as in /predict; a word with several tokens is rejected.',
  },
  'mask:build': {
    source: 'docs/config.md',
    behavior:
      'A masked language model can be built without a config, from safetensors or from an exported graph; other models are rejected.',
  },
} as const satisfies Behaviors;
