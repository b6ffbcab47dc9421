import { Type } from 'typebox';
import { EMBEDDING_OUTPUTS } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planOutputs } from '#core/model/output-plan.ts';
import { vectorWidth } from '#core/model/vector-width.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import { sharedRows } from '../math/max-sim.ts';
import { planPrompt } from '../tasks/plan-prompt.ts';
import { numbers } from '../schemas/results.ts';
import { promptMembers, atLeastOne } from '../schemas/texts.ts';
import type { OutputWeights } from '../tasks/hybrid-score.ts';
import { addTokens, sparseOptions, sparseResult } from './sparse-embedding.ts';
import { encodedQuery, documentScore } from './scores.ts';
import type { BodyOf, ScoreDocuments, ServedType } from './served-type.ts';

/** Options for models that also return multi-vectors and sparse vectors. */
const outputOptions = {
  outputs: optional(
    Type.Array(oneOf(EMBEDDING_OUTPUTS), {
      minItems: 1,
      uniqueItems: true,
      title: `a list of ${EMBEDDING_OUTPUTS.join(', ')}`,
      description:
        'Outputs to return for each text, computed in one run of the model. Default: dense vectors.',
    }),
  ),
  ...sparseOptions,
};

const optionsOf = (manifest: Manifest) => ({
  normalize: optional(
    Type.Boolean({
      description: 'Whether to L2-normalize vectors. Default: the model’s setting.',
    }),
  ),
  dimensions: optional(
    Type.Integer({
      minimum: 1,
      maximum: vectorWidth(manifest),
      description: 'Truncate vectors to this many dimensions. Default: the model’s setting.',
    }),
  ),
  ...promptMembers(manifest),
  ...(manifest.tokenOutputs ? outputOptions : ({} as typeof outputOptions)),
});
type Body = BodyOf<ReturnType<typeof optionsOf>>;

const result = Type.Object({ embedding: numbers('Vector of the text.') }, { $id: 'SentenceEmbeddingResult' });

const resultOfOutputs = Type.Object(
  {
    embedding: Type.Optional(numbers('Vector of the text, if `outputs` contains `dense` or is not set.')),
    vectors: Type.Optional(
      Type.Array(numbers('Vector of a token.'), {
        description: 'One vector for each token except the first, if `outputs` contains `multi_vector`.',
      }),
    ),
    sparse: Type.Optional(sparseResult),
  },
  { $id: 'EmbeddingOutputsResult' },
);

/** Scores documents with the outputs that have a weight. */
const scoreByOutputs: ScoreDocuments = async (_, request, run) => {
  const { query, documents, weights = DENSE_ONLY } = request;
  const outputs = EMBEDDING_OUTPUTS.filter((output) => weights[output] !== undefined);
  const encoded = await run.query({
    inputs: [{ text: query }],
    view: { kind: 'result', format: 'json', options: { normalize: true, outputs } },
  });
  const { embedding, vectors, sparse } = encodedQuery(encoded);
  const { results, tokens, truncated } = await run.documents({
    inputs: documents.map((text) => ({ text })),
    view: {
      kind: 'hybrid',
      query: {
        weights,
        outputs,
        sparse,
        dense: embedding && sharedRows([embedding]),
        multiVector: vectors && sharedRows(vectors),
      },
    },
  });
  return { scores: results.map(documentScore), tokens: [...encoded.tokens, ...tokens], truncated };
};

const DENSE_ONLY: OutputWeights = { dense: 1 };

export const servedSentenceEmbedding: ServedType<Body> = {
  texts: {
    summary: 'Compute one vector per text.',
    tool: 'Performs sentence embedding of input text sequences.',
  },
  request: (manifest) => ({ options: optionsOf(manifest) }),
  result: ({ tokenOutputs }) => (tokenOutputs ? resultOfOutputs : result),
  example: ({ tokenOutputs }) =>
    tokenOutputs
      ? {
          request: { outputs: ['dense', 'sparse'], max_active_dims: 2 },
          result: { embedding: [0.6, -0.8], sparse: { indices: [2013, 5075], values: [0.12, 0.25] } },
        }
      : { request: { normalize: true }, result: { embedding: [0.6, -0.8] } },
  info: ({ sentence }) => ({ embedding: { pooling: [sentence?.pooling ?? 'mean'].flat().join('+') } }),
  predict: {
    async plan(engine, { outputs, max_active_dims, tokens, ...wishes }) {
      const { manifest } = engine;
      const { options, prompt } = await planPrompt(engine, wishes);
      const maxActiveDims = atLeastOne('max_active_dims', max_active_dims);
      return {
        prompt,
        options: { ...options, maxActiveDims, outputs: planOutputs(manifest, outputs) },
        complete: tokens ? addTokens(engine) : undefined,
      };
    },
  },
  grpc: async () => (await import('#gen/encoder/sentence_embedding_pb.ts')).SentenceEmbedding,
  rank: ({ tokenOutputs }) => (tokenOutputs ? scoreByOutputs : undefined),
};
