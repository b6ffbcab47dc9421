import type { Static } from 'typebox';
import type { GatewayContext } from '../../context.ts';
import type { UserChanges } from '../../accounts/identity/identity.ts';
import { pageOf } from '../http/page.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { newUser, userChanges } from './schemas.ts';
import { usageLogView } from '../usage/view.ts';
import { userView } from './view.ts';
import { USER_OPERATIONS } from './operations.ts';

/** `/v1/users`: users, to whom usage is attributed. */
export function userRoutes({ state }: GatewayContext, { guards, readBody }: HttpParts): GatewayRoutes {
  const { users } = state.identity;
  const routes = newRoutes();

  routes.post('/v1/users', guards.master, async (c) => {
    const { user_id: userId, ...fields } = await readBody(c, newUser);
    return c.json(userView(await users.create({ userId, ...changesIn(fields) })));
  });
  routes.get('/v1/users', guards.master, async (c) =>
    c.json((await users.list(pageOf(c))).map((user) => userView(user))),
  );
  routes.get('/v1/users/:id', guards.master, async (c) =>
    c.json(userView(await users.get(c.req.param('id')))),
  );
  routes.patch('/v1/users/:id', guards.master, async (c) => {
    const changes = changesIn(await readBody(c, userChanges));
    return c.json(userView(await users.change(c.req.param('id'), changes)));
  });
  routes.delete('/v1/users/:id', guards.master, async (c) => {
    await users.delete(c.req.param('id'));
    return c.body(null, 204);
  });
  routes.get('/v1/users/:id/usage', guards.master, async (c) => {
    const page = pageOf(c);
    const { userId } = await users.get(c.req.param('id'));
    return c.json((await state.usage.list({ userId }, page)).map((row) => usageLogView(row, true)));
  });

  return { routes, operations: USER_OPERATIONS };
}

/** Converts the fields of a body; null clears a field. `blocked` cannot be cleared: null counts as not set. */
const changesIn = (body: Omit<Static<typeof newUser>, 'user_id'>): UserChanges => ({
  alias: body.alias,
  budgetId: body.budget_id,
  blocked: body.blocked ?? undefined,
  metadata: body.metadata === null ? {} : body.metadata,
  rpm: body.rpm,
  tpm: body.tpm,
  maxParallel: body.max_parallel,
});
