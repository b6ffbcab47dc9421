import { type Static, type TProperties, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages, readsTextsAndImages } from '#contract/model-types.ts';
import { INPUT_TYPES } from '#core/model/input-type.ts';
import { NAMED_FORMS, VECTOR_TYPES_NOTE } from '#core/vectors/vector-types.ts';
import { documented } from '#serve/http/documented.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { imageMember, imageMembers } from './images.ts';
import { outputDimension } from './openai.ts';
import { overflowMembers, stageMember, textMember, textMembers } from './texts.ts';

/** Unknown keys are ignored, because clients of Cohere's API send settings that a model server does not use. */
export const cohereEmbedRequest = (
  manifest: Manifest,
  { maxClientBatch }: Pick<EngineLimits, 'maxClientBatch'>,
) =>
  Type.Object(
    {
      model: optional(Type.String({ description: 'Ignored, because the server has only one model.' })),
      ...inputMembers(manifest, maxClientBatch),
      input_type: optional(
        oneOf(INPUT_TYPES, {
          description:
            'Use of the texts, which selects one of the model’s prompts: `query` or a similar name for `search_query`, `document` or `passage` for `search_document`, and the prompt of the same name for the others. Default: the model’s default prompt.',
        }),
      ),
      embedding_types: optional(
        Type.Array(oneOf(NAMED_FORMS), {
          minItems: 1,
          title: `a list of ${NAMED_FORMS.join(', ')}`,
          description: `Types of the vectors in the response. Default: \`float\`. ${VECTOR_TYPES_NOTE} \`base64\`: base64 of little-endian float32 bytes.`,
        }),
      ),
      output_dimension: outputDimension(manifest),
      max_tokens: optional(
        Type.Integer({
          minimum: 1,
          description:
            'Maximum number of tokens per text, not counting special tokens and prompts. Longer texts are handled as specified by `truncate` (default: `END`).',
        }),
      ),
      ...stageMember(manifest),
      ...overflowMembers,
    },
    {
      $id: 'CohereEmbedRequest',
      ...(readsTextsAndImages(manifest.modelType)
        ? { anyOf: ['texts', 'images', 'inputs'].map((name) => ({ required: [name] })) }
        : {}),
    },
  );
/** Models that read images have `images`, those that read texts `texts`, and those that read both also `inputs`. */
function inputMembers({ modelType }: Manifest, maxClientBatch: number): TProperties {
  const images = imageMembers(maxClientBatch);
  const texts = textMembers(maxClientBatch);
  if (readsImages(modelType)) return { images };
  if (!readsTextsAndImages(modelType)) return { texts };
  return {
    texts: Type.Optional(texts),
    images: Type.Optional(images),
    inputs: Type.Optional(
      documented(
        Type.Array(content, {
          minItems: 1,
          title: 'a list of objects',
          description: `Texts and images, in any order. Their vectors follow those of \`texts\` and \`images\`. At most ${maxClientBatch} per request.`,
        }),
        { maxItems: maxClientBatch },
      ),
    ),
  };
}

/** A text or an image in the form of Cohere's API. Its models also accept several of them for one vector. */
const content = Type.Object(
  {
    content: Type.Array(
      Type.Union([
        Type.Object({ type: oneOf(['text']), text: textMember }, { title: 'a text' }),
        Type.Object(
          { type: oneOf(['image_url']), image_url: Type.Object({ url: imageMember }) },
          { title: 'an image' },
        ),
      ]),
      { minItems: 1, maxItems: 1, title: 'a list of one text or one image' },
    ),
  },
  { $id: 'CohereContent' },
);

/** The lists of inputs in a request. Which ones it can have depends on the model. */
export interface CohereInputs {
  readonly texts?: readonly string[];
  readonly images?: readonly string[];
  readonly inputs?: readonly Static<typeof content>[];
}

export type CohereEmbedRequest = Omit<Static<ReturnType<typeof cohereEmbedRequest>>, keyof CohereInputs> &
  CohereInputs;

const numbers = Type.Array(Type.Array(Type.Number()));
const texts = Type.Array(Type.String());

export const cohereEmbedResponse = Type.Object(
  {
    id: Type.String({ description: 'Request id.' }),
    embeddings: Type.Object(
      Object.fromEntries(
        NAMED_FORMS.map((name) => [name, Type.Optional(name === 'base64' ? texts : numbers)]),
      ),
      { description: 'For each requested type, one vector per text, in the order of the texts.' },
    ),
    texts: Type.Array(Type.String(), { description: 'Texts of the request.' }),
    meta: Type.Object({
      api_version: Type.Object({ version: Type.String() }),
      billed_units: Type.Object({ input_tokens: Type.Integer() }),
      warnings: Type.Optional(Type.Array(Type.String())),
    }),
    response_type: oneOf(['embeddings_by_type']),
  },
  { $id: 'CohereEmbedResponse' },
);
