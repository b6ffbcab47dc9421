import type { Behaviors } from './behavior.ts';

/** Documented behavior of rerankers that are generative models. */
export const CAUSAL_RERANKERS = {
  'causal-rerankers:golden': {
    source: 'docs/config.md#generative-rerankers',
    behavior:
      'Folders of Qwen3-Reranker, mxbai-rerank v2 and bge-reranker-v2-gemma can be built without settings, and their scores are equal to those of the published code, also for pairs that are truncated.',
  },
  'causal-rerankers:routes': {
    source: 'docs/config.md#generative-rerankers',
    behavior:
      'An executable with a generative reranker ranks documents on every rerank route, and also runs over MCP, gRPC and infer.',
  },
  'causal-rerankers:instruction': {
    source: 'docs/serve.md#instructions-for-rerankers',
    behavior:
      'A request can replace the instruction of a generative reranker on every rerank route and on /predict; other models reject it with a sentence that states the reason.',
  },
  'causal-rerankers:detection': {
    source: 'docs/config.md#generative-rerankers',
    behavior:
      'A generative reranker is found by its name, by its base model, or by a LogitScore module and its chat template; other generative models are rejected.',
  },
  'causal-rerankers:refused': {
    source: 'docs/config.md#generative-rerankers',
    behavior:
      'A maximum length without room for a pair, and a tokenizer without the words, are rejected with a sentence that states the rule.',
  },
} as const satisfies Behaviors;
