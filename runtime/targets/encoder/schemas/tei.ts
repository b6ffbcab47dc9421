import { type Static, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '../../../contract/manifest.ts';
import { anyObject, oneOf, optional } from '../../../serve/http/schemas.ts';
import { embeddingsRequest } from './openai.ts';
import { entity } from './results.ts';
import { overflowMembers } from './overflow.ts';
import { NOT_EMPTY, promptName, text } from './texts.ts';

// Shapes of Hugging Face's text-embeddings-inference. Unknown keys are ignored, as in that server.

const embedRequest = (manifest: Manifest) => {
  const { input, dimensions, normalize } = embeddingsRequest(manifest).properties;
  return Type.Object(
    { inputs: input, normalize, dimensions, prompt_name: promptName, ...overflowMembers },
    { $id: 'EmbedRequest' },
  );
};
export type EmbedRequest = Static<ReturnType<typeof embedRequest>>;

const vector = Type.Array(Type.Number());
export const embedResponse = Type.Array(vector, {
  $id: 'EmbedResponse',
  description: 'One vector per input.',
});
export const embedAllResponse = Type.Array(Type.Array(vector), {
  $id: 'EmbedAllResponse',
  description: 'One vector per token of each input, special tokens included.',
});

const similarityRequest = (maxInputs: number) =>
  Type.Object(
    {
      inputs: Type.Object({
        source_sentence: text,
        sentences: Type.Array(text, {
          minItems: 1,
          title: 'a list of texts',
          description: `At most ${maxInputs - 1} per request.`,
        }),
      }),
      parameters: optional(Type.Object({ prompt_name: promptName, ...overflowMembers })),
    },
    { $id: 'SimilarityRequest' },
  );
export type SimilarityRequest = Static<ReturnType<typeof similarityRequest>>;

/** Requests that several routes share. A validator accepts only one schema with the same id, so they are created once. */
export interface VectorRequests {
  readonly embed: TUnsafe<EmbedRequest>;
  readonly similarity: TUnsafe<SimilarityRequest>;
}

export const vectorRequests = (manifest: Manifest, maxInputs: number): VectorRequests => ({
  embed: Type.Unsafe<EmbedRequest>(embedRequest(manifest)),
  similarity: Type.Unsafe<SimilarityRequest>(similarityRequest(maxInputs)),
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
const classifySchema = Type.Object(
  {
    inputs: Type.Union([
      text,
      Type.Array(sequence, { minItems: 1, title: 'a list of lists of texts', ...NOT_EMPTY }),
    ]),
    raw_scores: optional(Type.Boolean({ default: false, description: 'Return logits instead of scores.' })),
    parameters: optional(
      Type.Object({
        top_k: optional(Type.Integer({ minimum: 1, description: 'Number of labels to return.' })),
        function_to_apply: optional(
          oneOf(['none', 'sigmoid', 'softmax'], {
            description: 'Must be the function of the model, or `none`.',
          }),
        ),
      }),
    ),
    ...overflowMembers,
  },
  { $id: 'ClassifyRequest' },
);
export type ClassifyRequest = Static<typeof classifySchema>;
export const classifyRequest = Type.Unsafe<ClassifyRequest>(classifySchema);

const entitiesSchema = Type.Object(
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
export type EntitiesRequest = Static<typeof entitiesSchema>;
export const entitiesRequest = Type.Unsafe<EntitiesRequest>(entitiesSchema);
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
