import type { GatewayContext } from '../../context.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { TAG_OPERATIONS } from './operations.ts';
import { tagBudget } from './schemas.ts';
import { tagView } from '../views/accounts.ts';

/** `/v1/tags`: budgets of tags. Tags can contain slashes, so the rest of the path is one tag. */
export function tagRoutes({ state }: GatewayContext, { guards, readBody }: HttpParts): GatewayRoutes {
  const { tags } = state.identity;
  const routes = newRoutes();
  routes.get('/v1/tags', guards.reader, async (c) => c.json((await tags.list(pageOf(c))).map(tagView)));
  routes.put('/v1/tags/:tag{.+}', guards.admin, async (c) => {
    const { budget_id: budgetId } = await readBody(c, tagBudget);
    return c.json(tagView(await tags.set(c.req.param('tag'), budgetId)));
  });
  routes.get('/v1/tags/:tag{.+}', guards.reader, async (c) =>
    c.json(tagView(await tags.get(c.req.param('tag')))),
  );
  routes.delete('/v1/tags/:tag{.+}', guards.admin, async (c) => {
    await tags.delete(c.req.param('tag'));
    return c.body(null, 204);
  });
  return { routes, operations: TAG_OPERATIONS };
}
