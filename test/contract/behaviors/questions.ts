import type { Behaviors } from './behavior.ts';

/** What models of type question_answering promise. */
export const QUESTIONS = {
  'questions:golden': {
    source: 'docs/serve.md#question-answering',
    behavior:
      "Answers, places and scores are those of transformers' pipeline over HTTP, gRPC and MCP, and in the format of the Inference API.",
  },
  'questions:refused': {
    source: 'docs/serve.md',
    behavior: 'Invalid inputs and options, and a question without room for a context, are one sentence each.',
  },
  'questions:infer': {
    source: 'docs/infer.md',
    behavior: 'infer finds the answer of --question in each text, for texts and for files.',
  },
  'questions:build': {
    source: 'docs/config.md',
    behavior:
      'The two outputs of an exported graph are joined, the architecture determines the type, and transforms are refused.',
  },
} as const satisfies Behaviors;
