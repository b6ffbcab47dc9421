import { Type } from 'typebox';
import { TEXT_ROLES } from '#contract/multi-vector.ts';
import { planVector } from '#core/model/vector-plan.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import { sharedRows } from '../math/max-sim.ts';
import { numbers } from '../schemas/results.ts';
import { textMembers } from '../schemas/texts.ts';
import { encodedQuery, documentScore } from './scores.ts';
import type { BodyOf, ScoreDocuments, ServedType } from './served-type.ts';

const options = {
  input_type: oneOf(TEXT_ROLES, {
    description: 'Whether the texts are queries or documents, which are encoded differently.',
  }),
  normalize: optional(
    Type.Boolean({
      description: 'Whether to L2-normalize vectors. Default: the model’s setting.',
    }),
  ),
};

const result = Type.Object(
  {
    vectors: Type.Array(numbers('Vector of a token.'), {
      description:
        'One vector per token, including special tokens. Document tokens that the model skips, such as punctuation, are omitted. Query expansion tokens are included.',
    }),
  },
  { $id: 'MultiVectorResult' },
);

/**
 * Late interaction scores are sums of similarities. Even if raw scores are not requested, they are
 * not mapped to the range 0 to 1, because there is no function for this.
 */
const scoreByVectors: ScoreDocuments = async ({ manifest }, { query, documents }, run) => {
  const normalize = manifest.multiVector?.normalize ?? false;
  const encoded = await run.query({
    inputs: [{ text: query }],
    role: 'query',
    view: { kind: 'result', format: 'json', options: { normalize, role: 'query' } },
  });
  const { vectors = [] } = encodedQuery(encoded);
  const { results, tokens, truncated } = await run.documents({
    inputs: documents.map((text) => ({ text })),
    role: 'document',
    view: { kind: 'max-sim', query: sharedRows(vectors) },
  });
  return { scores: results.map(documentScore), tokens: [...encoded.tokens, ...tokens], truncated };
};

export const servedMultiVector: ServedType<BodyOf<typeof options, string>> = {
  texts: {
    summary: 'Compute one vector per token in each query or document.',
    tool: 'Computes one vector per token of input queries or documents, for late interaction.',
  },
  request: (_, { maxClientBatch }) => ({ inputs: textMembers(maxClientBatch), options }),
  result: () => result,
  example: () => ({
    request: { input_type: 'document' },
    result: {
      vectors: [
        [0.6, -0.8],
        [0, 1],
      ],
    },
  }),
  bench: (words) => ({ inputs: [words], input_type: 'document' }),
  // In Hugging Face's API, ranking is the operation for this model type.
  info: () => ({ reranker: { id2label: {}, label2id: {} } }),
  predict: {
    plan({ manifest }, { input_type: role, normalize }) {
      const { options: vector } = planVector(manifest, { normalize });
      return { role, options: { ...vector, role } };
    },
  },
  grpc: async () => (await import('#gen/encoder/multi_vector_pb.ts')).MultiVector,
  rank: () => scoreByVectors,
};
