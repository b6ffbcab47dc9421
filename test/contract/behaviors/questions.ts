import type { Behaviors } from './behavior.ts';

/** Documented behavior of question_answering models. */
export const QUESTIONS = {
  'questions:golden': {
    source: 'docs/serve.md#question-answering',
    behavior:
      'Answers, positions and scores match the transformers pipeline over HTTP, gRPC and MCP, and in the format of the Inference API.',
  },
  'questions:refused': {
    source: 'docs/serve.md',
    behavior:
      'Invalid inputs and options, and a question that leaves no room for context, each cause a one-sentence error.',
  },
  'questions:infer': {
    source: 'docs/infer.md',
    behavior: 'infer finds the answer to --question in each text, with --input as well as with arguments.',
  },
  'questions:build': {
    source: 'docs/config.md',
    behavior:
      'The two outputs of an exported graph are combined, the architecture determines the model type, and transforms are rejected.',
  },
} as const satisfies Behaviors;
