import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { CACHE_OPERATIONS } from './operations.ts';

/** `/v1/cache`: the cache of answers. */
export function cacheRoutes({ state }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const { cacheClears, identity } = state;
  const routes = newRoutes();
  routes.delete('/v1/cache', guards.admin, async (c) => {
    const keyId = c.req.query('key_id');
    // A wrong id must not look like a key without answers.
    const key = keyId === undefined ? undefined : await identity.keys.get(keyId);
    return c.json({ deleted: await cacheClears.clear(key?.id) });
  });
  return { routes, operations: CACHE_OPERATIONS };
}
