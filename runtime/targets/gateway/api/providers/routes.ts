import type { GatewayContext } from '../../context.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { PROVIDER_OPERATIONS } from './operations.ts';
import { newProvider, providerChanges } from './schemas.ts';
import { providerView } from '../views/models.ts';

/** `/v1/providers`: the providers of the configuration file, and those that are created at run time. */
export function providerRoutes(
  { providers }: GatewayContext,
  { guards, readBody }: HttpParts,
): GatewayRoutes {
  const routes = newRoutes();
  routes.post('/v1/providers', guards.admin, async (c) => {
    const { name, ...settings } = await readBody(c, newProvider);
    return c.json(providerView(await providers.create(name, settings)));
  });
  routes.get('/v1/providers', guards.reader, async (c) => {
    const { skip, limit } = pageOf(c);
    return c.json((await providers.list()).slice(skip, skip + limit).map(providerView));
  });
  routes.get('/v1/providers/:name', guards.reader, async (c) =>
    c.json(providerView(await providers.get(c.req.param('name')))),
  );
  routes.patch('/v1/providers/:name', guards.admin, async (c) => {
    const changes = await readBody(c, providerChanges);
    return c.json(providerView(await providers.change(c.req.param('name'), changes)));
  });
  routes.delete('/v1/providers/:name', guards.admin, async (c) => {
    await providers.delete(c.req.param('name'));
    return c.body(null, 204);
  });
  return { routes, operations: PROVIDER_OPERATIONS };
}
