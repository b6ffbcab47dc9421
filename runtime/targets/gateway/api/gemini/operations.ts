import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { closed } from '#serve/http/schemas.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import { GEMINI_PATH } from './paths.ts';
import { openObject } from '../../requests/completions/endpoints/endpoint.ts';
import { GEMINI_SCHEMA } from '../../requests/completions/endpoints/gemini.ts';

const model = closed(
  'GeminiModel',
  {
    name: Type.String({ description: '`models/` and the name of the model.' }),
    displayName: Type.String(),
    supportedGenerationMethods: Type.Array(Type.String()),
  },
  'A model in the format of Gemini’s API.',
);
const FLASH = {
  name: 'models/gemini:gemini-2.5-flash',
  displayName: 'gemini:gemini-2.5-flash',
  supportedGenerationMethods: ['generateContent', 'countTokens'],
};
export const MODEL_PARAMETER = {
  name: 'model',
  description: 'Model name as in other requests, `provider:model` or an alias.',
  example: 'gemini:gemini-2.5-flash',
} as const;

/** Operations besides those of `api/completions`, which has the calls of models. */
export const GEMINI_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: `${GEMINI_PATH}/models/{model}:countTokens`,
    id: 'countGeminiTokens',
    tag: 'Gemini',
    summary: 'Count the tokens of a prompt, in the format of Gemini’s API.',
    parameters: [MODEL_PARAMETER],
    request: {
      schema: openObject({
        contents: Type.Optional(Type.Array(openObject({}))),
        generateContentRequest: Type.Optional(GEMINI_SCHEMA),
      }),
      examples: { request: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] } },
    },
    answer: answerOf('The number of tokens.', Type.Object({ totalTokens: Type.Integer() }), {
      totalTokens: 3,
    }),
    errors: [400, 403, 404, 408, 413, 415, 422, 500, 503],
  },
  {
    method: 'get',
    path: `${GEMINI_PATH}/models`,
    id: 'listGeminiModels',
    tag: 'Gemini',
    summary: 'List the models that the caller can use, in the format of Gemini’s API.',
    answer: answerOf('The models.', closed('GeminiModels', { models: Type.Array(model) }), {
      models: [FLASH],
    }),
    errors: KEY_ERRORS,
  },
  {
    method: 'get',
    path: `${GEMINI_PATH}/models/{model}`,
    id: 'getGeminiModel',
    tag: 'Gemini',
    summary: 'Get a model that the caller can use, in the format of Gemini’s API.',
    parameters: [MODEL_PARAMETER],
    answer: answerOf('The model.', model, FLASH),
    errors: KEY_ERRORS,
  },
];
