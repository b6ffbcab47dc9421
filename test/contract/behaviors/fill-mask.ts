import type { Behaviors } from './behavior.ts';

/** What models of type fill_mask promise. */
export const FILL_MASK = {
  'mask:golden': {
    source: 'docs/build.md#model-types',
    behavior:
      'Candidates, scores and sequences over HTTP, gRPC and MCP match the transformers pipeline, regardless of the batch.',
  },
  'mask:options': {
    source: 'docs/serve.md',
    behavior:
      'top_k and targets work as in the pipeline; a text without a mask and a target with several tokens are rejected.',
  },
  'mask:inference-api': {
    source: 'docs/serve.md',
    behavior: '/ and /predict with parameters respond in the format of the Inference API.',
  },
  'mask:infer': {
    source: 'docs/infer.md',
    behavior: 'infer prints the candidates of each mask, also for files; a text without a mask is an error.',
  },
  'mask:infer-targets': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '--targets scores only these words, like /predict; a word with several tokens is rejected.',
  },
  'mask:build': {
    source: 'docs/config.md',
    behavior:
      'A masked language model needs no config, from safetensors or as an exported graph; other models are rejected.',
  },
} as const satisfies Behaviors;
