import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { jsonBytes, objectListView, objectPageOf, storedRequest } from '../stored/stored-request.ts';
import { BATCH_OPERATIONS, newBatch } from './operations.ts';

/** `/v1/batches`: requests that a provider answers within a day. @see https://platform.openai.com/docs/api-reference/batch */
export function batchRoutes(
  { stored: { batches } }: Pick<GatewayContext, 'stored'>,
  { guards, readBody }: HttpParts,
): GatewayRoutes {
  const routes = newRoutes();

  routes.post('/v1/batches', guards.anyKey, async (c) => {
    const body = await readBody(c, newBatch);
    return jsonBytes(c, await batches.create(storedRequest(c, body.user), body));
  });
  routes.get('/v1/batches', guards.anyKey, async (c) =>
    c.json(objectListView(await batches.list(storedRequest(c), objectPageOf(c, { max: 100, fallback: 20 })))),
  );
  routes.get('/v1/batches/:id', guards.anyKey, async (c) =>
    jsonBytes(c, await batches.get(storedRequest(c), c.req.param('id'))),
  );
  routes.post('/v1/batches/:id/cancel', guards.anyKey, async (c) =>
    jsonBytes(c, await batches.cancel(storedRequest(c), c.req.param('id'))),
  );

  return { routes, operations: BATCH_OPERATIONS };
}
