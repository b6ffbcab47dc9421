import { type Static, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { readsTextsAndImages } from '#contract/model-types.ts';
import { documented } from '#serve/http/documented.ts';
import { anyObject, optional } from '#serve/http/schemas.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { textOrImage } from './images.ts';
import { promptRestriction, type TextOrImageMember, textsOrTokenIds, vectorMembers } from './openai.ts';
import { roleMembers } from './roles.ts';
import { overflowMembers, promptMembers, stageMember, textMember } from './texts.ts';

// Request formats of Hugging Face's text-embeddings-inference. Unknown keys are ignored, as
// text-embeddings-inference does.

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
      {
        inputs: textsOrTokenIds(manifest, limits),
        ...promptMembers(manifest),
        ...stageMember(manifest),
        ...overflowMembers,
      },
      { $id: 'EmbedAllRequest' },
    ),
    promptRestriction(manifest, 'inputs'),
  );
export type EmbedAllRequest = Static<ReturnType<typeof embedAllRequest>>;

/** As in text-embeddings-inference, which has no other options for sparse vectors. */
const embedSparseRequest = (manifest: Manifest, limits: EngineLimits) =>
  Type.Object(
    {
      inputs: textsOrTokenIds(manifest, limits),
      ...promptMembers(manifest),
      ...stageMember(manifest),
      ...overflowMembers,
      ...roleMembers(manifest),
    },
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
  { $id: 'EmbedSparseResponse', description: 'Nonzero values of each vector, by index.' },
);

const vector = Type.Array(Type.Number());
export const embedResponse = Type.Array(vector, {
  $id: 'EmbedResponse',
  description: 'One vector per input.',
});
export const embedAllResponse = Type.Array(Type.Array(vector), {
  $id: 'EmbedAllResponse',
  description: 'One vector per token of each input, including special tokens.',
});

const similarityRequest = (manifest: Manifest, { maxClientBatch }: EngineLimits) => {
  const member = Type.Unsafe<TextOrImageMember>(
    readsTextsAndImages(manifest.modelType) ? textOrImage : textMember,
  );
  return Type.Object(
    {
      inputs: Type.Object({
        source_sentence: member,
        sentences: documented(
          Type.Array(member, {
            minItems: 1,
            title: 'a list of texts',
            description: `At most ${maxClientBatch - 1} per request.`,
          }),
          { maxItems: maxClientBatch - 1 },
        ),
      }),
      parameters: optional(
        Type.Object({ ...promptMembers(manifest), ...stageMember(manifest), ...overflowMembers }),
      ),
    },
    { $id: 'SimilarityRequest' },
  );
};
export type SimilarityRequest = Static<ReturnType<typeof similarityRequest>>;

/**
 * The schemas of requests for vectors. Several routes share them, and each is created only once,
 * because a validator does not accept two schemas with the same id.
 */
export interface VectorRequests {
  readonly embed: TUnsafe<EmbedRequest>;
  readonly embedAll: TUnsafe<EmbedAllRequest>;
  readonly embedSparse: TUnsafe<EmbedSparseRequest>;
  readonly similarity: TUnsafe<SimilarityRequest>;
}

export const vectorRequests = (manifest: Manifest, limits: EngineLimits): VectorRequests => ({
  embed: Type.Unsafe<EmbedRequest>(embedRequest(manifest, limits)),
  embedAll: Type.Unsafe<EmbedAllRequest>(embedAllRequest(manifest, limits)),
  embedSparse: Type.Unsafe<EmbedSparseRequest>(embedSparseRequest(manifest, limits)),
  similarity: Type.Unsafe<SimilarityRequest>(similarityRequest(manifest, limits)),
});

export const similarityResponse = Type.Array(Type.Number(), {
  $id: 'SimilarityResponse',
  description: 'Cosine similarity of each sentence to the source sentence.',
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
