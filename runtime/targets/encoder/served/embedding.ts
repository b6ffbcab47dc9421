import { Type } from 'typebox';
import { EXAMPLE_TOKEN, numbers, tokenInfo } from '../schemas/results.ts';
import type { BodyOf, ServedType } from './served-type.ts';

const options = { normalize: Type.Boolean({ description: 'Whether to L2-normalize vectors.' }) };

const result = Type.Object(
  {
    embeddings: Type.Array(
      Type.Object(
        { embedding: numbers('Vector of the token.'), token_info: tokenInfo },
        { $id: 'TokenEmbedding' },
      ),
      { description: 'One entry per token, excluding special tokens that the tokenizer adds.' },
    ),
  },
  { $id: 'EmbeddingResult' },
);

export const servedEmbedding: ServedType<BodyOf<typeof options>> = {
  texts: {
    summary: 'Compute one vector per token of each text.',
    tool: 'Performs embeddings for input text sequences.',
  },
  request: () => ({ options }),
  result: () => result,
  example: () => ({
    request: { normalize: true },
    result: { embeddings: [{ embedding: [0.6, -0.8], token_info: EXAMPLE_TOKEN }] },
  }),
  info: () => ({ embedding: { pooling: 'mean' } }),
  predict: {
    plan: (_, { normalize }) => ({ options: { normalize } }),
  },
  grpc: async () => (await import('#gen/encoder/embedding_pb.ts')).Embedding,
};
