import type { Context } from 'hono';
import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { answerBytes, jsonBytes, storedRequest } from '../stored/stored-request.ts';
import { RESPONSE_OPERATIONS } from './operations.ts';

/** Responses that a provider has stored. @see https://platform.openai.com/docs/api-reference/responses */
export function responseRoutes(
  { stored: { responses } }: Pick<GatewayContext, 'stored'>,
  { guards }: HttpParts,
): GatewayRoutes {
  const routes = newRoutes();

  routes.get('/v1/responses/:id', guards.anyKey, async (c) => {
    const id = c.req.param('id');
    if (c.req.query('stream') === 'true')
      return await answerBytes(c, (signal) =>
        responses.follow({ ...storedRequest(c), signal }, id, queryOf(c)),
      );
    return jsonBytes(c, await responses.get(storedRequest(c), id, queryOf(c)));
  });
  routes.get('/v1/responses/:id/input_items', guards.anyKey, async (c) =>
    jsonBytes(c, await responses.inputItems(storedRequest(c), c.req.param('id'), queryOf(c))),
  );
  routes.post('/v1/responses/:id/cancel', guards.anyKey, async (c) =>
    jsonBytes(c, await responses.cancel(storedRequest(c), c.req.param('id'))),
  );
  routes.delete('/v1/responses/:id', guards.anyKey, async (c) =>
    jsonBytes(c, await responses.delete(storedRequest(c), c.req.param('id'))),
  );

  return { routes, operations: RESPONSE_OPERATIONS };
}

/** The query for the provider. */
function queryOf(c: Context): string {
  const query = new URL(c.req.url).searchParams;
  query.delete('user');
  return query.size === 0 ? '' : `?${query.toString()}`;
}
