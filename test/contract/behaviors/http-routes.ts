import type { Behaviors } from './behavior.ts';

/** What the routes that run a model or its tokenizer promise. */
export const HTTP_ROUTES = {
  'http:predict:sequence_classification': {
    source: 'docs/serve.md#http',
    behavior: 'A result has logits, scores, predicted_index and predicted_label, and nothing else.',
  },
  'http:predict:token_classification': {
    source: 'docs/serve.md#http',
    behavior: 'A result has tokens of token_info, logits, scores, label and score, and nothing else.',
  },
  'http:predict:embedding': {
    source: 'docs/serve.md#http',
    behavior: 'A result has embeddings of embedding and token_info, and nothing else.',
  },
  'http:predict:numbers': {
    source: 'docs/serve.md#http',
    behavior: 'Numbers are in the shortest form that is the same float32.',
  },
  'http:predict:top-k': {
    source: 'docs/serve.md',
    behavior: 'top_k lists so many labels, the likeliest first, or all there are.',
  },
  'http:predict:multi-label': {
    source: 'docs/serve.md',
    behavior: 'Scores of a multi-label model are the sigmoid of each logit.',
  },
  'http:not-finite': {
    source: 'docs/serve.md',
    behavior:
      '/predict, /v1/embeddings and /rerank return 500 if the transform or the model returns NaN or infinity.',
  },
  'http:predict:aggregation': {
    source: 'docs/serve.md',
    behavior: "aggregation finds the entities that transformers' pipeline finds; none of them in pairs.",
  },
  'http:predict:pairs': {
    source: 'docs/serve.md',
    behavior: 'A pair of texts has the result of other libraries, also in a batch with single texts.',
  },
  'http:predict:characters': {
    source: 'docs/serve.md#http',
    behavior: 'Any Unicode text is taken, NUL and lone surrogates too; offsets count code points.',
  },
  'http:openai': {
    source: 'docs/serve.md',
    behavior: "OpenAI's own client gets vectors from /v1/embeddings and the model from /v1/models.",
  },
  'http:openai:errors': {
    source: 'docs/serve.md',
    behavior: "Errors under /v1 are OpenAI's JSON, also where the model is not an embedding model.",
  },
  'http:rerank': {
    source: 'docs/serve.md',
    behavior:
      'A model with one label ranks documents by relevance to a query; other models explain why they cannot.',
  },
  'http:tokenize': {
    source: 'docs/serve.md',
    behavior: 'POST /tokenize returns the same tokens as other libraries, and POST /decode their text.',
  },
  'http:rerank:cohere': {
    source: 'docs/serve.md',
    behavior:
      "POST /v1/rerank and /v2/rerank answer clients of Cohere and Jina with the scores of the model's logits.",
  },
  'http:tei': {
    source: 'docs/serve.md',
    behavior:
      '/embed, /embed_all, /similarity, /info and /rerank with texts respond in the format of text-embeddings-inference.',
  },
  'http:tei:predict': {
    source: 'docs/serve.md',
    behavior:
      '/predict answers a single text, raw_scores and parameters in the format of the API that has them.',
  },
  'http:tei:errors': {
    source: 'docs/serve.md',
    behavior: 'Routes of text-embeddings-inference have its errors; POST / needs the key, unlike the page.',
  },
  'http:truncated': {
    source: 'docs/serve.md',
    behavior: 'Headers and usage report truncated inputs; a request can forbid or allow truncation.',
  },
  'http:openai:foreign-tokens': {
    source: 'docs/serve.md',
    behavior: 'Token ids of another tokenizer are rejected, and the error names the setting of the client.',
  },
} as const satisfies Behaviors;
