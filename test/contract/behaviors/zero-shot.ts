import type { Behaviors } from './behavior.ts';

/** What models of type zero_shot_classification promise. */
export const ZERO_SHOT = {
  'zero-shot:golden': {
    source: 'docs/serve.md#zero-shot-classification',
    behavior:
      "Labels and scores are those of transformers' pipeline over HTTP, gRPC and MCP, and in the format of the Inference API.",
  },
  'zero-shot:refused': {
    source: 'docs/serve.md',
    behavior:
      'Missing labels, a template without {}, a sentence that is too long and too many pairs are one sentence each.',
  },
  'zero-shot:infer': {
    source: 'docs/infer.md',
    behavior: 'infer scores the labels of --labels and --label, for texts and for files.',
  },
  'zero-shot:build': {
    source: 'docs/config.md',
    behavior:
      'The labels of a model for natural language inference determine the type; other labels, transforms and windows are refused.',
  },
} as const satisfies Behaviors;
