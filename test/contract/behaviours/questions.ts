import type { Behaviours } from './behaviour.ts';

/** What models of type question_answering promise. */
export const QUESTIONS = {
  'questions:golden': {
    source: 'issue 18: question_answering',
    behaviour:
      "Answers, places and scores are those of transformers' pipeline over HTTP, gRPC and MCP, and in the format of the Inference API.",
  },
  'questions:refused': {
    source: 'docs/serve.md',
    behaviour:
      'Invalid inputs and options, and a question without room for a context, are one sentence each.',
  },
  'questions:infer': {
    source: 'docs/infer.md',
    behaviour: 'infer finds the answer of --question in each text, for texts and for files.',
  },
  'questions:build': {
    source: 'docs/config.md',
    behaviour:
      'The two outputs of an exported graph are joined, the architecture determines the type, and transforms are refused.',
  },
} as const satisfies Behaviours;
