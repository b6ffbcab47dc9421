import { Type } from 'typebox';
import { EMBEDDING_OUTPUTS } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planOutputs } from '#core/model/output-plan.ts';
import { type InputType, promptFor } from '#core/model/input-type.ts';
import { planVector, type VectorPlan } from '#core/model/vector-plan.ts';
import { maxVectorWidth } from '#core/model/vector-width.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import { sharedRows } from '../math/max-sim.ts';
import { planPrompt } from '../tasks/plan-prompt.ts';
import { numbers } from '../schemas/results.ts';
import { promptMembers, atLeastOne, stageMember } from '../schemas/texts.ts';
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

/** The options that all models with one vector per input have. */
export const vectorSettings = (manifest: Manifest) => ({
  normalize: optional(
    Type.Boolean({
      description: 'Whether to L2-normalize vectors. Default: the model’s setting.',
    }),
  ),
  dimensions: optional(
    Type.Integer({
      minimum: 1,
      maximum: maxVectorWidth(manifest),
      description: 'Truncate vectors to this many dimensions. Default: the model’s setting.',
    }),
  ),
});

const optionsOf = (manifest: Manifest) => ({
  ...vectorSettings(manifest),
  ...promptMembers(manifest),
  ...stageMember(manifest),
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

/**
 * Scores documents with the outputs that have a weight; without weights, by the model's similarity
 * function, as `/similarity` does. Queries and documents get the prompts for a search, if the model has
 * them.
 */
const scoreByOutputs: ScoreDocuments = async ({ manifest }, request, run) => {
  const { sentence, tokenOutputs } = manifest;
  const { query, documents, weights = DENSE_ONLY } = request;
  const outputs = EMBEDDING_OUTPUTS.filter((output) => weights[output] !== undefined);
  const similarity = (tokenOutputs ? undefined : sentence?.similarity) ?? 'cosine';
  const normalize = similarity === 'cosine' ? true : undefined;
  const planFor = (use: InputType): VectorPlan =>
    planVector(manifest, { normalize, prompt_name: promptFor(sentence, use) });
  const [asked, found] = [planFor('search_query'), planFor('search_document')] as const;
  const encoded = await run.query({
    inputs: [{ text: query }],
    prompt: asked.prompt,
    view: { kind: 'result', format: 'json', options: { ...asked.options, outputs } },
  });
  const { embedding, vectors, sparse } = encodedQuery(encoded);
  const { results, tokens, truncated } = await run.documents({
    inputs: documents.map((text) => ({ text })),
    prompt: found.prompt,
    view: {
      kind: 'hybrid',
      query: {
        weights,
        outputs,
        similarity,
        vector: found.options,
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
  // A cosine is not a relevance score, so that only models for which requests choose how to rank have this.
  rank: ({ tokenOutputs, staticForm }) => (tokenOutputs || staticForm ? scoreByOutputs : undefined),
};
