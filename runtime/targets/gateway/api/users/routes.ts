import type { Context } from 'hono';
import type { Static } from 'typebox';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { GatewayContext } from '../../context.ts';
import type { User, UserChanges } from '../../accounts/identity/identity.ts';
import { forbidden, originOf, readsEverything, visibleTo } from '../../accounts/identity/manager.ts';
import { permitNewUser, permitUserChange, requireVisibleUser } from '../../accounts/identity/user-policy.ts';
import { pageOf } from '../http/lists.ts';
import { managerIn } from '../sign-in/sign-in.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { userQuery } from './query.ts';
import { newUser, userChanges } from './schemas.ts';
import { usageLogView } from '../views/records.ts';
import { userView } from '../views/accounts.ts';
import { USER_OPERATIONS } from './operations.ts';

/** `/v1/users`: users, to whom usage is attributed. */
export function userRoutes({ state }: GatewayContext, { guards, readBody }: HttpParts): GatewayRoutes {
  const { users, members, userDefaults } = state.identity;
  const routes = newRoutes();
  const changeableUser = async (c: Context<ShellEnv>, id: string, changes: UserChanges): Promise<User> => {
    const user = await visibleUser(c, id);
    permitUserChange(managerIn(c), user, changes, userDefaults);
    return user;
  };

  const visibleUser = async (c: Context<ShellEnv>, id: string): Promise<User> =>
    await requireVisibleUser(managerIn(c), await users.get(id), members);

  routes.post('/v1/users', guards.manager, async (c) => {
    const { user_id: userId, team_id: teamId, ...fields } = await readBody(c, newUser);
    const user = { userId, teamId, ...changesIn(fields) };
    const permitted = permitNewUser(managerIn(c), user, userDefaults);
    return c.json(userView(await users.create({ ...user, ...permitted })));
  });
  routes.get('/v1/users', guards.manager, async (c) =>
    c.json(
      (await users.list(pageOf(c), { ...userQuery(c), visible: visibleTo(managerIn(c)) })).map((user) =>
        userView(user),
      ),
    ),
  );
  routes.get('/v1/users/:id', guards.manager, async (c) =>
    c.json(userView(await visibleUser(c, c.req.param('id')))),
  );
  routes.patch('/v1/users/:id', guards.manager, async (c) => {
    const changes = changesIn(await readBody(c, userChanges));
    const { userId } = await changeableUser(c, c.req.param('id'), changes);
    return c.json(userView(await users.change(userId, changes)));
  });
  routes.delete('/v1/users/:id', guards.manager, async (c) => {
    const { userId } = await changeableUser(c, c.req.param('id'), {});
    await users.delete(userId);
    return c.body(null, 204);
  });
  routes.get('/v1/users/:id/usage', guards.manager, async (c) => {
    const page = pageOf(c);
    const { userId } = await visibleUser(c, c.req.param('id'));
    const manager = managerIn(c);
    const isOwn = readsEverything(manager) || userId === manager.userId;
    if (!isOwn) throw forbidden('Usage of other users requires the role viewer. Use GET /v1/usage?team_id=.');
    const rows = await state.usage.list({ userId, from: originOf(manager, 'user', userId) }, page);
    return c.json(rows.map((row) => usageLogView(row, readsEverything(manager))));
  });

  return { routes, operations: USER_OPERATIONS };
}

/** Converts the fields of a body; null clears a field. `blocked` cannot be cleared: null counts as not set. */
const changesIn = (body: Omit<Static<typeof newUser>, 'user_id' | 'team_id'>): UserChanges => ({
  alias: body.alias,
  budgetId: body.budget_id,
  blocked: body.blocked ?? undefined,
  metadata: body.metadata === null ? {} : body.metadata,
  rpm: body.rpm,
  tpm: body.tpm,
  maxParallel: body.max_parallel,
  role: body.role ?? undefined,
});
