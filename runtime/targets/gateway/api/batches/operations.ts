import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import {
  LIST_PARAMETERS,
  objectList,
  STORED_ERRORS,
  storedObject,
  USER_PARAMETER,
} from '../stored/operations.ts';

export const newBatch = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, description: 'A file with the purpose `batch`.' }),
    endpoint: Type.String({ minLength: 1, description: 'The route of all its requests.' }),
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
const batch = storedObject('The batch, as the provider describes it.');

export const BATCH_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: '/v1/batches',
    id: 'createBatch',
    summary: 'Start a batch of requests, in the format of OpenAI’s batch API.',
    description:
      'Its maximum cost is reserved until it is finished. Then the usage of its answers is billed, at the prices of batches where there are any.',
    request: {
      schema: newBatch,
      examples: {
        request: { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' },
      },
    },
    answer: answerOf('The batch.', batch, BATCH),
    errors: [...STORED_ERRORS, 408, 413, 415],
  },
  {
    ...SHARED,
    method: 'get',
    path: '/v1/batches',
    id: 'listBatches',
    summary: 'List the batches of the caller.',
    parameters: LIST_PARAMETERS,
    answer: answerOf('The batches.', objectList, {
      object: 'list',
      data: [BATCH],
      first_id: BATCH.id,
      last_id: BATCH.id,
      has_more: false,
    }),
  },
  {
    ...SHARED,
    method: 'get',
    path: '/v1/batches/{id}',
    id: 'getBatch',
    summary: 'Get a batch of the caller.',
    parameters: [ID, USER_PARAMETER],
    answer: answerOf('The batch.', batch, BATCH),
  },
  {
    ...SHARED,
    method: 'post',
    path: '/v1/batches/{id}/cancel',
    id: 'cancelBatch',
    summary: 'Cancel a batch of the caller.',
    description: 'Requests that were answered before are billed.',
    parameters: [ID, USER_PARAMETER],
    answer: answerOf('The batch.', batch, { ...BATCH, status: 'cancelling' }),
  },
];
