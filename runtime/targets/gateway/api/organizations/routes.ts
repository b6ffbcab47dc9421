import type { GatewayContext } from '../../context.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { groupChangesIn } from '../teams/group-request.ts';
import { ORGANIZATION_OPERATIONS } from './operations.ts';
import { organizationQuery } from './query.ts';
import { newOrganization, organizationChanges } from './schemas.ts';
import { organizationView } from '../views/accounts.ts';

/** `/v1/organizations`: organizations, whose teams share a budget, limits and models. */
export function organizationRoutes(
  { state }: GatewayContext,
  { guards, readBody }: HttpParts,
): GatewayRoutes {
  const { organizations } = state.identity;
  const routes = newRoutes();

  routes.post('/v1/organizations', guards.admin, async (c) => {
    const { organization_id: id, ...fields } = await readBody(c, newOrganization);
    return c.json(organizationView(await organizations.create({ id, ...groupChangesIn(fields) })));
  });
  routes.get('/v1/organizations', guards.reader, async (c) =>
    c.json((await organizations.list(pageOf(c), organizationQuery(c))).map(organizationView)),
  );
  routes.get('/v1/organizations/:id', guards.reader, async (c) =>
    c.json(organizationView(await organizations.get(c.req.param('id')))),
  );
  routes.patch('/v1/organizations/:id', guards.admin, async (c) => {
    const changes = groupChangesIn(await readBody(c, organizationChanges));
    return c.json(organizationView(await organizations.change(c.req.param('id'), changes)));
  });
  routes.delete('/v1/organizations/:id', guards.admin, async (c) => {
    await organizations.delete(c.req.param('id'));
    return c.body(null, 204);
  });

  return { routes, operations: ORGANIZATION_OPERATIONS };
}
