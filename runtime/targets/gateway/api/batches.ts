import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import type { HttpParts } from './http/parts.ts';
import {
  STORED_ERRORS,
  storedObject,
  USER_PARAMETER,
  jsonBytes,
  listOfObjects,
  storedRequest,
} from './stored.ts';

const newBatch = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, description: 'ID of a file with the purpose `batch`.' }),
    endpoint: Type.String({ minLength: 1, description: 'The endpoint for all requests in the batch.' }),
    completion_window: Type.String({ minLength: 1 }),
    user: Type.Optional(Type.String()),
  },
  { additionalProperties: true, $id: 'NewBatch' },
);

const BATCH = {
  id: 'batch_1',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  input_file_id: 'file-1',
  completion_window: '24h',
  status: 'in_progress',
};
const SHARED = { tag: 'Batches', errors: STORED_ERRORS } as const;
const ID = { name: 'id', description: 'Batch id.', example: BATCH.id };
const batch = storedObject('The batch, as returned by the provider.');

/**
 * `/v1/batches`: requests that a provider completes within a day. @see
 * https://platform.openai.com/docs/api-reference/batch
 */
export function batchRoutes(
  { stored: { batches } }: Pick<GatewayContext, 'stored'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/batches',
      guard: guards.anyKey,
      ...SHARED,
      id: 'createBatch',
      summary: 'Start a batch of requests, in OpenAI’s Batch API format.',
      description:
        'The batch’s maximum cost is reserved until the batch is finished. The actual usage is then billed, at batch prices if available.',
      request: {
        schema: newBatch,
        examples: {
          request: { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' },
        },
      },
      answer: answerOf('The batch.', batch, BATCH),
      errors: [...STORED_ERRORS, 408, 413, 415],
      run: async (c, body) => jsonBytes(c, await batches.create(storedRequest(c, body.user), body)),
    }),
    route({
      method: 'get',
      path: '/v1/batches',
      guard: guards.anyKey,
      ...SHARED,
      id: 'listBatches',
      summary: 'List the caller’s batches.',
      ...listOfObjects({
        description: 'The batches.',
        example: BATCH,
        limit: { max: 100, fallback: 20 },
        list: (request, page) => batches.list(request, page),
      }),
    }),
    route({
      method: 'get',
      path: '/v1/batches/:id',
      guard: guards.anyKey,
      ...SHARED,
      id: 'getBatch',
      summary: 'Get one of the caller’s batches.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf('The batch.', batch, BATCH),
      run: async (c) => jsonBytes(c, await batches.get(storedRequest(c), c.req.param('id'))),
    }),
    route({
      method: 'post',
      path: '/v1/batches/:id/cancel',
      isRepeatable: true,
      guard: guards.anyKey,
      ...SHARED,
      id: 'cancelBatch',
      summary: 'Cancel one of the caller’s batches.',
      description: 'Requests that have already completed are billed.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf('The batch.', batch, { ...BATCH, status: 'cancelling' }),
      run: async (c) => jsonBytes(c, await batches.cancel(storedRequest(c), c.req.param('id'))),
    }),
  ];
}
