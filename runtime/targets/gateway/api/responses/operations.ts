import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { EVENT_STREAM } from '../completions/event-stream.ts';
import { STORED_ERRORS, storedObject, USER_PARAMETER } from '../stored/operations.ts';

const RESPONSE = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o-mini', output: [] };
const SHARED = { tag: 'Models', errors: STORED_ERRORS } as const;
const ID = { name: 'id', description: 'Response id.', example: RESPONSE.id };
const response = storedObject('The response, as the provider describes it.');
const ITEMS = { object: 'list', data: [], has_more: false };

export const RESPONSE_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'get',
    path: '/v1/responses/{id}',
    id: 'getResponse',
    summary: 'Get a response of the caller that the provider has stored.',
    description: 'Other parameters, such as `include[]`, are passed to the provider.',
    parameters: [
      ID,
      { name: 'stream', in: 'query', description: '`true` for events.', example: 'true' },
      {
        name: 'starting_after',
        in: 'query',
        description: 'Number of the last event that the client has got.',
        example: 1,
        schema: Type.Integer({ minimum: 0 }),
      },
      USER_PARAMETER,
    ],
    answer: answerOf('The response.', response, RESPONSE),
    otherAnswers: [
      {
        mediaType: EVENT_STREAM.split(';')[0] ?? EVENT_STREAM,
        schema: Type.String(),
        examples: { events: 'event: response.completed\ndata: {}\n\n' },
      },
    ],
  },
  {
    ...SHARED,
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    id: 'listResponseInputItems',
    summary: 'List the input of a response of the caller.',
    parameters: [ID, USER_PARAMETER],
    answer: answerOf(
      'The items.',
      Type.Object({ object: Type.Literal('list'), data: Type.Array(Type.Unsafe({ type: 'object' })) }),
      ITEMS,
    ),
  },
  {
    ...SHARED,
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    id: 'cancelResponse',
    summary: 'Cancel a response of the caller that is created in the background.',
    parameters: [ID, USER_PARAMETER],
    answer: answerOf('The response.', response, { ...RESPONSE, status: 'cancelled' }),
  },
  {
    ...SHARED,
    method: 'delete',
    path: '/v1/responses/{id}',
    id: 'deleteResponse',
    summary: 'Delete a response of the caller.',
    parameters: [ID, USER_PARAMETER],
    answer: answerOf('The deleted response.', response, {
      id: RESPONSE.id,
      object: 'response',
      deleted: true,
    }),
  },
];
