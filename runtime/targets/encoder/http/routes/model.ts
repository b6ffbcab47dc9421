import { type Static, Type } from 'typebox';
import { DEFAULT_THRESHOLD } from '#contract/detection.ts';
import { EMBEDDING_OUTPUTS } from '#contract/embedding-outputs.ts';
import type { StaticForm } from '#contract/manifest.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { vectorWidth } from '#core/model/vector-width.ts';
import { int8Scale } from '#core/vectors/vector-types.ts';
import type { EncoderContext } from '../../context.ts';
import type { DeviceState, ServingEngine } from '../../engine/serving.ts';
import { bodilessRoute, OPEN, type Route } from '#serve/http/route.ts';
import { modelMetadata } from '../../schemas/model.ts';
import { NO_GUARD } from '../model-route.ts';

/** `GET /health` and `GET /model`. */
export function modelInfoRoutes({ engine }: EncoderContext): readonly Route[] {
  const metadata = modelFacts(engine);
  return [
    bodilessRoute({
      method: 'get',
      path: '/health',
      guard: OPEN,
      id: 'health',
      tag: 'Operations',
      summary: 'Health check.',
      answer: {
        description: 'The server is healthy.',
        schema: Type.String(),
        examples: { healthy: 'OK!' },
      },
      run: () => 'OK!',
    }),
    bodilessRoute({
      method: 'get',
      path: '/model',
      guard: NO_GUARD,
      id: 'model',
      tag: 'Model',
      summary: 'Get the model’s metadata.',
      answer: { description: 'The metadata.', schema: modelMetadata, examples: { model: metadata } },
      run: () => (engine.device ? { ...metadata, device: deviceFacts(engine.device()) } : metadata),
    }),
  ];
}

/** The facts about the form that requests choose with `stage: fast`. */
function staticFormFacts({
  width,
  sentence,
}: StaticForm): NonNullable<Static<typeof modelMetadata>['static_form']> {
  const { neighbors } = sentence.table?.distilled ?? {};
  return {
    dimensions: width,
    int8_scale: int8Scale(width),
    ...omitUndefined({ neighbors }),
  };
}

/** The device, which can change while the server runs. */
function deviceFacts(state: DeviceState): NonNullable<Static<typeof modelMetadata>['device']> {
  return state.device === 'gpu'
    ? {
        type: 'gpu',
        name: state.name,
        precision: state.precision,
        min_tokens: state.minTokens,
        max_tokens: state.maxTokens,
      }
    : { type: 'cpu', ...omitUndefined({ reason: state.reason }) };
}

/** The response of `GET /model`. */
function modelFacts({
  manifest,
  limits,
}: Pick<ServingEngine, 'manifest' | 'limits'>): Static<typeof modelMetadata> {
  const {
    name,
    version,
    modelType,
    id2label,
    scoreFunction,
    sentence,
    sparse,
    multiVector,
    tokenOutputs,
    mask,
    staticForm,
    images,
    detection,
    license,
    card = {},
  } = manifest;
  return {
    model_id: name,
    model_type: modelType,
    version,
    // JavaScript objects always have their integer keys in numeric order.
    ...(id2label ? { id2label: { ...id2label } } : {}),
    ...(images?.recipe.size ? { image_size: images.recipe.size } : {}),
    ...(images ? { max_image_bytes: limits.images.bytes, max_image_pixels: limits.images.pixels } : {}),
    ...(detection ? { threshold: detection.threshold ?? DEFAULT_THRESHOLD } : {}),
    // Softmax, the default, is omitted, so that the response for most models contains only the
    // fields that the contract defines.
    ...(scoreFunction && scoreFunction !== 'softmax' ? { score_function: scoreFunction } : {}),
    ...(sentence
      ? {
          pooling: typeof sentence.pooling === 'string' ? sentence.pooling : [...sentence.pooling],
          normalize: sentence.normalize,
          dimensions: sentence.dimensions ?? vectorWidth(manifest),
          int8_scale: int8Scale(sentence.dimensions ?? vectorWidth(manifest)),
          // Cosine, the default, is omitted like softmax.
          ...(sentence.similarity ? { similarity_fn_name: sentence.similarity } : {}),
          prompts: Object.fromEntries(Object.entries(sentence.prompts).map(([key, { text }]) => [key, text])),
          ...(sentence.defaultPrompt === undefined ? {} : { default_prompt_name: sentence.defaultPrompt }),
        }
      : {}),
    ...(staticForm ? { static_form: staticFormFacts(staticForm) } : {}),
    ...(tokenOutputs
      ? { outputs: [...EMBEDDING_OUTPUTS], multi_vector_dimensions: tokenOutputs.multiVector.width }
      : {}),
    ...(mask ? { mask_token: mask.token } : {}),
    ...(sparse
      ? { pooling: sparse.pooling, dimensions: manifest.width, similarity_fn_name: sparse.similarity }
      : {}),
    ...(multiVector
      ? {
          normalize: multiVector.normalize,
          dimensions: manifest.width,
          query_prefix: multiVector.query.marker?.token ?? '',
          document_prefix: multiVector.document.marker?.token ?? '',
          query_length: multiVector.query.maxLength,
          document_length: multiVector.document.maxLength,
          do_query_expansion: multiVector.query.expansion !== undefined,
          attend_to_expansion_tokens: multiVector.query.expansion?.isAttended ?? false,
        }
      : {}),
    ...(license
      ? omitUndefined({ license: license.id, license_name: license.name, license_link: license.link })
      : {}),
    ...omitUndefined({
      languages: card.languages && [...card.languages],
      base_models: card.baseModels && [...card.baseModels],
      tags: card.tags && [...card.tags],
      citation: card.citation,
    }),
  };
}
