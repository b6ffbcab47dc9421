import type { Context } from 'hono';
import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import { EVENT_STREAM } from './completions/routes.ts';
import type { HttpParts } from './http/parts.ts';
import {
  STORED_ERRORS,
  storedObject,
  USER_PARAMETER,
  answerBytes,
  jsonBytes,
  storedRequest,
} from './stored.ts';

const RESPONSE = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o-mini', output: [] };
const SHARED = { tag: 'Models', errors: STORED_ERRORS } as const;
const ID = { name: 'id', description: 'Response id.', example: RESPONSE.id };
const response = storedObject('The response, as returned by the provider.');
const ITEMS = { object: 'list', data: [], has_more: false };

/** Responses stored by a provider. @see https://platform.openai.com/docs/api-reference/responses */
export function responseRoutes(
  { stored: { responses } }: Pick<GatewayContext, 'stored'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/responses/:id',
      guard: guards.anyKey,
      ...SHARED,
      id: 'getResponse',
      summary: 'Get one of the caller’s responses stored by the provider.',
      description: 'Other parameters, such as `include[]`, are passed to the provider.',
      parameters: [
        ID,
        { name: 'stream', in: 'query', description: '`true` for events.', example: 'true' },
        {
          name: 'starting_after',
          in: 'query',
          description: 'Number of the last event that the client received.',
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
      run: async (c) => {
        const id = c.req.param('id');
        if (c.req.query('stream') === 'true')
          return await answerBytes(c, (signal) =>
            responses.follow({ ...storedRequest(c), signal }, id, queryOf(c)),
          );
        return jsonBytes(c, await responses.get(storedRequest(c), id, queryOf(c)));
      },
    }),
    route({
      method: 'get',
      path: '/v1/responses/:id/input_items',
      guard: guards.anyKey,
      ...SHARED,
      id: 'listResponseInputItems',
      summary: 'List the input of one of the caller’s responses.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf(
        'The items.',
        Type.Object({ object: Type.Literal('list'), data: Type.Array(Type.Unsafe({ type: 'object' })) }),
        ITEMS,
      ),
      run: async (c) =>
        jsonBytes(c, await responses.inputItems(storedRequest(c), c.req.param('id'), queryOf(c))),
    }),
    route({
      method: 'post',
      path: '/v1/responses/:id/cancel',
      isRepeatable: true,
      guard: guards.anyKey,
      ...SHARED,
      id: 'cancelResponse',
      summary: 'Cancel one of the caller’s background responses.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf('The response.', response, { ...RESPONSE, status: 'cancelled' }),
      run: async (c) => jsonBytes(c, await responses.cancel(storedRequest(c), c.req.param('id'))),
    }),
    route({
      method: 'delete',
      path: '/v1/responses/:id',
      guard: guards.anyKey,
      ...SHARED,
      id: 'deleteResponse',
      summary: 'Delete one of the caller’s responses.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf('The deleted response.', response, {
        id: RESPONSE.id,
        object: 'response',
        deleted: true,
      }),
      run: async (c) => jsonBytes(c, await responses.delete(storedRequest(c), c.req.param('id'))),
    }),
  ];
}

/** The query string for the provider. */
function queryOf(c: Context): string {
  const query = new URL(c.req.url).searchParams;
  query.delete('user');
  return query.size === 0 ? '' : `?${query.toString()}`;
}
