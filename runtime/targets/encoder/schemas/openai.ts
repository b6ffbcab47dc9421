import { maxVectorWidth } from '#core/model/vector-width.ts';
import { type Static, type TOptional, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages, readsTextsAndImages } from '#contract/model-types.ts';
import { lateChunkingProblem } from '#core/model/late-chunking.ts';
import { documented, documentedKeywords, undocumented } from '#serve/http/documented.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { NAMED_FORMS, VECTOR_TYPES, VECTOR_TYPES_NOTE } from '#core/vectors/vector-types.ts';
import { imagesInLists, textsAndImagesInLists } from './images.ts';
import { overflowMembers, NOT_EMPTY, promptMembers, stageMember, textMember } from './texts.ts';

export type EmbeddingsRequest = Static<ReturnType<typeof embeddingsRequest>>;

/**
 * Unknown keys are ignored, because clients of OpenAI's API send settings that a model server does
 * not use.
 */
export function embeddingsRequest(manifest: Manifest, limits: Pick<EngineLimits, 'maxClientBatch'>) {
  const request = Type.Object(
    {
      input: textsOrTokenIds(manifest, limits),
      model: optional(
        Type.String({
          description: 'Ignored, because the server has only one model. The response contains its name.',
        }),
      ),
      encoding_format: optional(
        oneOf(['float', 'base64'], {
          default: 'float',
          description:
            'Encoding of the vectors: lists of numbers, or base64 of the bytes of their values (little-endian).',
        }),
      ),
      output_dtype: optional(
        oneOf(VECTOR_TYPES, {
          default: 'float',
          description: `Type of the values, as in Voyage's API. ${VECTOR_TYPES_NOTE}`,
        }),
      ),
      embedding_type: optional(
        oneOf(NAMED_FORMS, {
          description: 'The same as `output_dtype`, as in Jina’s API; `base64` is base64 of float32 values.',
        }),
      ),
      ...vectorMembers(manifest),
      output_dimension: outputDimension(manifest),
      late_chunking: lateChunking(manifest),
      user: optional(Type.String({ description: 'Ignored.' })),
    },
    { $id: 'EmbeddingsRequest' },
  );
  const isLate = lateChunkingProblem(manifest) === undefined;
  const withoutIds = isLate ? { late_chunking: { enum: [false, null] } } : {};
  return documented(request, promptRestriction(manifest, 'input', withoutIds));
}

/** Documents omit the field for models that cannot do this; they still reject it with the reason. */
function lateChunking(manifest: Manifest): TOptional<TUnsafe<boolean | null>> {
  const schema = Type.Boolean({
    default: false,
    description:
      'Whether the inputs are the parts of one text, which is joined from them without separators, as in Jina’s API. The model reads the whole text once, and the vector of each part is the mean over its tokens, so the whole text must fit into the model’s maximum.',
  });
  return optional(lateChunkingProblem(manifest) === undefined ? schema : undocumented(schema));
}

/** The name of `dimensions` in the Voyage and Cohere APIs. */
export const outputDimension = (manifest: Manifest) =>
  optional(
    Type.Integer({
      minimum: 1,
      maximum: maxVectorWidth(manifest),
      description: 'The same as `dimensions`, as in the Voyage and Cohere APIs.',
    }),
  );

/** The options in a request for vectors. */
export const vectorMembers = (manifest: Manifest) => ({
  dimensions: optional(
    Type.Integer({
      minimum: 1,
      maximum: maxVectorWidth(manifest),
      description:
        'Truncate vectors to this many dimensions; use only with models trained for truncation (Matryoshka).',
    }),
  ),
  normalize: optional(Type.Boolean({ default: true, description: 'Whether to L2-normalize vectors.' })),
  ...promptMembers(manifest),
  ...stageMember(manifest),
  ...overflowMembers,
});

const NO_PROMPT = { enum: ['', null] };

export type TextOrImageMember = string | Uint8Array | { readonly image: string } | { readonly text: string };
/** What the inputs in a request for vectors can be: texts, token ids, or images. */
export type VectorInput = TextOrImageMember | readonly TextOrImageMember[] | number[] | number[][];

/** The inputs in a request for vectors. */
export function textsOrTokenIds(
  { tokenizer, modelType }: Manifest,
  { maxClientBatch: maxItems }: Pick<EngineLimits, 'maxClientBatch'>,
): TUnsafe<VectorInput> {
  if (readsImages(modelType)) return Type.Unsafe<VectorInput>(imagesInLists(maxItems));
  if (readsTextsAndImages(modelType)) return Type.Unsafe<VectorInput>(textsAndImagesInLists(maxItems));
  const list = { minItems: 1, ...NOT_EMPTY };
  const maximum = tokenizer.vocabularySize - 1;
  // `checkTokenIds` rejects ids that are too large, with an explanation of why clients send them.
  const tokenId = documented(Type.Integer({ minimum: 0 }), { maximum });
  const description = 'Must include the model’s special tokens.';
  const tokenIds = Type.Array(tokenId, { ...list, title: 'a list of token ids', description });
  return Type.Unsafe<VectorInput>(
    Type.Union([
      textMember,
      documented(Type.Array(textMember, { ...list, title: 'a list of texts' }), { maxItems }),
      tokenIds,
      documented(Type.Array(tokenIds, { ...list, title: 'a list of lists of token ids' }), { maxItems }),
    ]),
  );
}

/**
 * A combination that is rejected, for OpenAPI documents: token ids with a prompt. `inputs` is the
 * name of the field with the inputs, and `more` are other fields that require texts.
 */
export function promptRestriction(
  manifest: Manifest,
  inputs: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  // A task only selects an adapter for token ids.
  const { task: _, ...members } = promptMembers(manifest);
  const fields = Object.entries(members).filter(([, schema]) => documentedKeywords({ ...schema }));
  if (fields.length === 0) return {};
  const texts = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  return {
    anyOf: [
      { properties: { [inputs]: texts } },
      { properties: { ...Object.fromEntries(fields.map(([name]) => [name, NO_PROMPT])), ...more } },
    ],
  };
}

export const embeddingsResponse = Type.Object(
  {
    object: oneOf(['list']),
    data: Type.Array(
      Type.Object({
        object: oneOf(['embedding']),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'A list of numbers, or a base64 string if the request asks for base64.',
        }),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({
      prompt_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      truncated_inputs: Type.Optional(
        Type.Integer({ description: 'Number of truncated inputs. Absent if none were truncated.' }),
      ),
    }),
  },
  { $id: 'EmbeddingsResponse' },
);

export const openAiModel = Type.Object(
  {
    id: Type.String(),
    object: oneOf(['model']),
    created: Type.Integer({ description: 'Start time of this server as a Unix timestamp.' }),
    owned_by: Type.String(),
    version: Type.String({ description: 'Version of the model, from its configuration.' }),
  },
  { $id: 'OpenAiModel' },
);

export const openAiModels = Type.Object(
  { object: oneOf(['list']), data: Type.Array(openAiModel) },
  { $id: 'OpenAiModels' },
);
