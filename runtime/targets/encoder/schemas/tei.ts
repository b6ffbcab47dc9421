import { type Static, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { documented } from '#serve/http/documented.ts';
import { anyObject, oneOf, optional } from '#serve/http/schemas.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { promptRestriction, textsOrTokenIds, vectorMembers } from './openai.ts';
import { entity } from './results.ts';
import { overflowMembers } from './overflow.ts';
import { answersRequest } from './question-answering.ts';
import { NOT_EMPTY, promptName, text } from './texts.ts';
import { zeroShotRequest } from './zero-shot.ts';

// Shapes of Hugging Face's text-embeddings-inference. Unknown keys are ignored, as in that server.

const embedRequest = (manifest: Manifest, limits: EngineLimits) =>
  documented(
    Type.Object(
      { inputs: textsOrTokenIds(manifest, limits), ...vectorMembers(manifest) },
      { $id: 'EmbedRequest' },
    ),
    promptRestriction(manifest, 'inputs'),
  );
export type EmbedRequest = Static<ReturnType<typeof embedRequest>>;

const embedAllRequest = (manifest: Manifest, limits: EngineLimits) =>
  documented(
    Type.Object(
      { inputs: textsOrTokenIds(manifest, limits), prompt_name: promptName(manifest), ...overflowMembers },
      { $id: 'EmbedAllRequest' },
    ),
    promptRestriction(manifest, 'inputs'),
  );
export type EmbedAllRequest = Static<ReturnType<typeof embedAllRequest>>;

/** Requests and responses of Hugging Face's Inference API for masks. */
const fillMaskRequest = ({ maxClientBatch: maxItems }: EngineLimits) =>
  Type.Object(
    {
      inputs: Type.Union([
        text,
        documented(Type.Array(text, { minItems: 1, title: 'a list of texts', ...NOT_EMPTY }), { maxItems }),
      ]),
      parameters: optional(
        Type.Object({
          top_k: optional(
            Type.Integer({ minimum: 1, default: 5, description: 'Number of candidates of each mask.' }),
          ),
          targets: optional(
            Type.Array(Type.String({ minLength: 1 }), {
              title: 'a list of words',
              description: 'Only score these tokens.',
            }),
          ),
        }),
      ),
      ...overflowMembers,
    },
    { $id: 'FillMaskRequest' },
  );
export type FillMaskRequest = Static<ReturnType<typeof fillMaskRequest>>;
const filledMasks = Type.Array(
  Type.Object(
    {
      score: Type.Number(),
      token: Type.Integer({ description: 'Token id.' }),
      token_str: Type.String(),
      sequence: Type.String({ description: 'The text with the token in place of the mask.' }),
    },
    { $id: 'FilledToken' },
  ),
);
export const fillMaskResponse = Type.Union(
  [filledMasks, Type.Array(filledMasks), Type.Array(Type.Array(filledMasks))],
  {
    $id: 'FillMaskResponse',
    description:
      'Candidates, highest score first: one list for a text with one mask, a list of lists for several masks, and a list of these for a list of texts.',
  },
);

/** As in text-embeddings-inference, which has no other options for sparse vectors. */
const embedSparseRequest = (manifest: Manifest, limits: EngineLimits) =>
  Type.Object(
    { inputs: textsOrTokenIds(manifest, limits), prompt_name: promptName(manifest), ...overflowMembers },
    { $id: 'EmbedSparseRequest' },
  );
export type EmbedSparseRequest = Static<ReturnType<typeof embedSparseRequest>>;
export const embedSparseResponse = Type.Array(
  Type.Array(
    Type.Object(
      { index: Type.Integer({ description: 'Token id.' }), value: Type.Number() },
      { $id: 'SparseValue' },
    ),
  ),
  { $id: 'EmbedSparseResponse', description: 'The values of each vector that are not zero, by index.' },
);

const vector = Type.Array(Type.Number());
export const embedResponse = Type.Array(vector, {
  $id: 'EmbedResponse',
  description: 'One vector per input.',
});
export const embedAllResponse = Type.Array(Type.Array(vector), {
  $id: 'EmbedAllResponse',
  description: 'One vector per token of each input, special tokens included.',
});

const similarityRequest = (manifest: Manifest, { maxClientBatch }: EngineLimits) =>
  Type.Object(
    {
      inputs: Type.Object({
        source_sentence: text,
        sentences: documented(
          Type.Array(text, {
            minItems: 1,
            title: 'a list of texts',
            description: `At most ${maxClientBatch - 1} per request.`,
          }),
          { maxItems: maxClientBatch - 1 },
        ),
      }),
      parameters: optional(Type.Object({ prompt_name: promptName(manifest), ...overflowMembers })),
    },
    { $id: 'SimilarityRequest' },
  );
export type SimilarityRequest = Static<ReturnType<typeof similarityRequest>>;

export type AnswersRequest = Static<typeof answersRequest>;
export type ZeroShotRequest = Static<ReturnType<typeof zeroShotRequest>>;

/** Requests that several routes share. A validator accepts only one schema with the same id, so they are created once. */
export interface SharedRequests {
  readonly embed: TUnsafe<EmbedRequest>;
  readonly embedAll: TUnsafe<EmbedAllRequest>;
  readonly fillMask: TUnsafe<FillMaskRequest>;
  readonly embedSparse: TUnsafe<EmbedSparseRequest>;
  readonly similarity: TUnsafe<SimilarityRequest>;
  readonly classify: TUnsafe<ClassifyRequest>;
  readonly entities: TUnsafe<EntitiesRequest>;
  readonly zeroShot: TUnsafe<ZeroShotRequest>;
  readonly answers: TUnsafe<AnswersRequest>;
}

export const sharedRequests = (manifest: Manifest, limits: EngineLimits): SharedRequests => ({
  embed: Type.Unsafe<EmbedRequest>(embedRequest(manifest, limits)),
  embedAll: Type.Unsafe<EmbedAllRequest>(embedAllRequest(manifest, limits)),
  fillMask: Type.Unsafe<FillMaskRequest>(fillMaskRequest(limits)),
  embedSparse: Type.Unsafe<EmbedSparseRequest>(embedSparseRequest(manifest, limits)),
  similarity: Type.Unsafe<SimilarityRequest>(similarityRequest(manifest, limits)),
  classify: Type.Unsafe<ClassifyRequest>(classifyRequest(manifest, limits)),
  entities: Type.Unsafe<EntitiesRequest>(entitiesRequest),
  zeroShot: Type.Unsafe<ZeroShotRequest>(zeroShotRequest(limits)),
  answers: Type.Unsafe<AnswersRequest>(answersRequest),
});

export const similarityResponse = Type.Array(Type.Number(), {
  $id: 'SimilarityResponse',
  description: 'Cosine similarity of each sentence to the source sentence.',
});

const sequence = Type.Array(text, {
  minItems: 1,
  maxItems: 2,
  title: 'a list of one or two texts',
  ...NOT_EMPTY,
});

/** Also the requests of Hugging Face's Inference API, which have `parameters`. */
const classifyRequest = (
  { scoreFunction = 'softmax' }: Manifest,
  { maxClientBatch: maxItems }: EngineLimits,
) =>
  Type.Object(
    {
      inputs: Type.Union([
        text,
        documented(Type.Array(sequence, { minItems: 1, title: 'a list of lists of texts', ...NOT_EMPTY }), {
          maxItems,
        }),
      ]),
      raw_scores: optional(Type.Boolean({ default: false, description: 'Return logits instead of scores.' })),
      parameters: optional(
        Type.Object({
          top_k: optional(Type.Integer({ minimum: 1, description: 'Number of labels to return.' })),
          function_to_apply: optional(
            oneOf(scoreFunction === 'none' ? ['none'] : [scoreFunction, 'none'], {
              description: 'The function of the model, or `none` for logits.',
            }),
          ),
        }),
      ),
      ...overflowMembers,
    },
    { $id: 'ClassifyRequest' },
  );
export type ClassifyRequest = Static<ReturnType<typeof classifyRequest>>;

const entitiesRequest = Type.Object(
  {
    inputs: text,
    parameters: optional(
      Type.Object({
        aggregation_strategy: optional(
          oneOf(['simple', 'first', 'average', 'max'], {
            default: 'simple',
            description: 'How tokens are grouped into entities, as in the transformers pipeline.',
          }),
        ),
      }),
    ),
    ...overflowMembers,
  },
  { $id: 'EntitiesRequest' },
);
export type EntitiesRequest = Static<typeof entitiesRequest>;
export const entitiesResponse = Type.Array(entity, { $id: 'EntitiesResponse' });

const prediction = Type.Object({ label: Type.String(), score: Type.Number() }, { $id: 'Prediction' });
const predictions = Type.Array(prediction);
export const classifyResponse = Type.Union([predictions, Type.Array(predictions)], {
  $id: 'ClassifyResponse',
  description: 'Labels with their scores, highest first: one list for a text, a list of lists for a batch.',
});

export const teiRanksResponse = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: 'Index of the text in the request.' }),
      text: Type.Optional(Type.String()),
      score: Type.Number(),
    },
    { $id: 'TeiRank' },
  ),
  { $id: 'TeiRanks', description: 'Results, most relevant first.' },
);

export const infoResponse = Type.Object(
  {
    model_id: Type.String(),
    served_model_name: Type.String(),
    model_sha: Type.Unsafe<null>({ type: 'string', nullable: true }),
    model_dtype: Type.String(),
    model_type: anyObject('`embedding`, `classifier` or `reranker`, with its settings.'),
    max_concurrent_requests: Type.Integer(),
    max_input_length: Type.Integer({ description: 'Maximum number of tokens per text.' }),
    max_client_batch_size: Type.Integer(),
    auto_truncate: Type.Boolean({ description: 'Whether texts that are too long are truncated by default.' }),
    version: Type.String({ description: 'Version of encoderfile.' }),
  },
  { $id: 'TeiInfo' },
);
