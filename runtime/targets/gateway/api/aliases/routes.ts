import type { GatewayContext } from '../../context.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { ALIAS_OPERATIONS } from './operations.ts';
import { aliasChanges, newAlias } from './schemas.ts';
import { aliasView } from '../views/models.ts';

/** `/v1/aliases`: the aliases of the configuration file, and those that are created at run time. Names can contain slashes. */
export function aliasRoutes({ aliases }: GatewayContext, { guards, readBody }: HttpParts): GatewayRoutes {
  const routes = newRoutes();
  routes.post('/v1/aliases', guards.admin, async (c) => {
    const { name, ...settings } = await readBody(c, newAlias);
    return c.json(aliasView(await aliases.create(name, settings)));
  });
  routes.get('/v1/aliases', guards.reader, async (c) => {
    const { skip, limit } = pageOf(c);
    return c.json((await aliases.list()).slice(skip, skip + limit).map(aliasView));
  });
  routes.get('/v1/aliases/:name{.+}', guards.reader, async (c) =>
    c.json(aliasView(await aliases.get(c.req.param('name')))),
  );
  routes.patch('/v1/aliases/:name{.+}', guards.admin, async (c) => {
    const changes = await readBody(c, aliasChanges);
    return c.json(aliasView(await aliases.change(c.req.param('name'), changes)));
  });
  routes.delete('/v1/aliases/:name{.+}', guards.admin, async (c) => {
    await aliases.delete(c.req.param('name'));
    return c.body(null, 204);
  });
  return { routes, operations: ALIAS_OPERATIONS };
}
