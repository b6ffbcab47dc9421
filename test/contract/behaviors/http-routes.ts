import type { Behaviors } from './behavior.ts';

/** Documented behavior of the routes that run a model or its tokenizer. */
export const HTTP_ROUTES = {
  'http:predict:sequence_classification': {
    source: 'docs/serve.md#http',
    behavior: 'The result contains only logits, scores, predicted_index and predicted_label.',
  },
  'http:predict:token_classification': {
    source: 'docs/serve.md#http',
    behavior: 'The result contains only tokens, each with token_info, logits, scores, label and score.',
  },
  'http:predict:embedding': {
    source: 'docs/serve.md#http',
    behavior: 'The result contains only embeddings, each with embedding and token_info.',
  },
  'http:predict:numbers': {
    source: 'docs/serve.md#http',
    behavior: 'Numbers are printed in the shortest form that round-trips to the same float32.',
  },
  'http:predict:top-k': {
    source: 'docs/serve.md',
    behavior: 'top_k sets the maximum number of labels to return, most likely first.',
  },
  'http:predict:multi-label': {
    source: 'docs/serve.md',
    behavior: 'Each score of a multi-label model is the sigmoid of its logit.',
  },
  'http:not-finite': {
    source: 'docs/serve.md',
    behavior:
      '/predict, /v1/embeddings and /rerank return 500 if the transform or the model returns NaN or infinity.',
  },
  'http:predict:aggregation': {
    source: 'docs/serve.md',
    behavior:
      'aggregation returns the same entities as the transformers pipeline, and is not supported for text pairs.',
  },
  'http:predict:pairs': {
    source: 'docs/serve.md',
    behavior: 'Results for text pairs match those of other libraries, even in a batch with single texts.',
  },
  'http:predict:characters': {
    source: 'docs/serve.md#http',
    behavior: 'Any Unicode text is accepted, including NUL and lone surrogates; offsets count code points.',
  },
  'http:openai': {
    source: 'docs/serve.md',
    behavior: 'The OpenAI client works with /v1/embeddings and /v1/models.',
  },
  'http:openai:errors': {
    source: 'docs/serve.md',
    behavior: "Errors under /v1 have OpenAI's JSON format, even for models that are not embedding models.",
  },
  'http:rerank': {
    source: 'docs/serve.md',
    behavior:
      'A model with one label ranks documents by relevance to a query; for other models, the error explains why they do not support reranking.',
  },
  'http:tokenize': {
    source: 'docs/serve.md',
    behavior:
      'POST /tokenize returns the same tokens as other libraries, and POST /decode converts tokens to text.',
  },
  'http:rerank:cohere': {
    source: 'docs/serve.md',
    behavior:
      "POST /v1/rerank and /v2/rerank work with Cohere and Jina clients, and return scores computed from the model's logits.",
  },
  'http:vector-types': {
    source: 'docs/serve.md#vector-types',
    behavior:
      '/v1/embeddings and /v2/embed return vectors as float, int8, uint8, binary and ubinary, and other models return 404 with the reason.',
  },
  'http:late-chunking': {
    source: 'docs/serve.md#late-chunking',
    behavior:
      'With late_chunking, /v1/embeddings pools the vector of each input from one run of the whole text, and models without mean pooling of token vectors reject the field.',
  },
  'http:tei': {
    source: 'docs/serve.md',
    behavior:
      '/embed, /embed_all, /similarity, /info and /rerank with `texts` return responses in the format of text-embeddings-inference.',
  },
  'http:tei:predict': {
    source: 'docs/serve.md',
    behavior:
      '/predict accepts a single text, raw_scores and parameters, and responds in the format of the matching API.',
  },
  'http:tei:errors': {
    source: 'docs/serve.md',
    behavior:
      "The text-embeddings-inference routes return errors in that server's format; POST / requires an API key, although GET / does not.",
  },
  'http:truncated': {
    source: 'docs/serve.md',
    behavior: 'Headers and usage report truncated inputs; a request can forbid or allow truncation.',
  },
  'http:openai:foreign-tokens': {
    source: 'docs/serve.md',
    behavior:
      'Token IDs from another tokenizer are rejected, and the error names the client setting to change.',
  },
} as const satisfies Behaviors;
