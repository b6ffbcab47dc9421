import type { Behaviors } from './behavior.ts';

/** Documented behavior of zero_shot_classification models. */
export const ZERO_SHOT = {
  'zero-shot:golden': {
    source: 'docs/serve.md#zero-shot-classification',
    behavior:
      'Labels and scores match the transformers pipeline over HTTP, gRPC and MCP, and in the format of the Inference API.',
  },
  'zero-shot:refused': {
    source: 'docs/serve.md',
    behavior:
      'Missing labels, a template without {}, a sentence that is too long and too many pairs each cause a one-sentence error.',
  },
  'zero-shot:infer': {
    source: 'docs/infer.md',
    behavior: 'infer scores the labels in --labels and --label, with --input as well as with arguments.',
  },
  'zero-shot:build': {
    source: 'docs/config.md',
    behavior:
      'The labels of a natural language inference model determine its type; other labels, transforms and windows are rejected.',
  },
} as const satisfies Behaviors;
