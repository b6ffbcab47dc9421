import type { Context } from 'hono';
import { Type } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import { type User, type UserChanges, USER_FIELDS } from '../accounts/fields/users.ts';
import { ACCOUNT_STATUSES, USER_ORDERS } from '../accounts/identity/list-queries.ts';
import { forbidden, originOf, readsEverything, visibleTo } from '../accounts/identity/manager.ts';
import { permitNewUser, permitUserChange, requireVisibleUser } from '../accounts/identity/user-policy.ts';
import type { GatewayContext } from '../context.ts';
import { managerIn } from './guards.ts';
import { answerMembers, changesOf, exampleOf, newOf, requestMembers } from './http/field-schemas.ts';
import { listQuery, pageOf, pageOfList } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { usageLogs } from './usage-schemas.ts';
import { USAGE_LOG } from './usage.ts';
import { userView } from './views/accounts.ts';
import { usageLogView } from './views/records.ts';

/** The first members in requests. */
const FIRST = ['user_id', 'alias', 'budget_id', 'metadata', 'rpm', 'tpm', 'max_parallel', 'role', 'blocked'];

/** @internal Exported for tests. */
export const newUser = closed('NewUser', requestMembers(USER_FIELDS, 'create', FIRST));

/** @internal Exported for tests. */
export const userChanges = closed('UserChanges', requestMembers(USER_FIELDS, 'update', FIRST));

const user = closed('User', answerMembers(USER_FIELDS));

const userList = Type.Array(user);

const LIST = listQuery(
  {
    search: {
      description: 'Only users whose ID or alias contains this text, case-insensitively.',
      example: 'lovelace',
    },
    status: { description: 'Only users with this status.', example: 'blocked', words: ACCOUNT_STATUSES },
    team_id: { description: 'Only members and service accounts of this team.', example: 'research' },
  },
  { orders: USER_ORDERS, example: '-spend' },
);

const ADA = exampleOf(USER_FIELDS, {
  user_id: 'ada',
  alias: 'Ada Lovelace',
  spend: 1.25,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-01-31T00:00:00Z',
  metadata: { team: 'engines' },
  role: 'member',
});

const USER_ID = { name: 'user_id', description: 'User id.', example: 'ada' };

const CHANGES =
  'the role admin is required; for service accounts of a team, the role admin in the team is enough.';
const SEES =
  'members see their own user and, with the role admin in a team, its members and service accounts.';

/** `/v1/users`: the users to whom usage is attributed. */
export function userRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { users, members, userDefaults } = state.identity;

  const changeableUser = async (c: Context<ShellEnv>, id: string, changes: UserChanges): Promise<User> => {
    const user = await visibleUser(c, id);
    permitUserChange(managerIn(c), user, changes, userDefaults);
    return user;
  };

  const visibleUser = async (c: Context<ShellEnv>, id: string): Promise<User> =>
    await requireVisibleUser(managerIn(c), await users.get(id), members);

  return [
    route({
      method: 'post',
      path: '/v1/users',
      guard: guards.manager(CHANGES),
      id: 'createUser',
      tag: 'Users',
      summary: 'Create a user.',
      description: 'A deleted user is restored with zero spending; the old keys stay disabled.',
      request: {
        schema: newUser,
        examples: { user: { user_id: 'ada', alias: 'Ada Lovelace', metadata: { team: 'engines' } } },
      },
      answer: answerOf('The user.', user, ADA),
      errors: [409],
      run: async (c, body) => {
        const user = { ...newOf(USER_FIELDS, body), userId: body.user_id };
        const permitted = permitNewUser(managerIn(c), user, userDefaults);
        return userView(await users.create({ ...user, ...permitted }));
      },
    }),
    route({
      method: 'get',
      path: '/v1/users',
      guard: guards.manager(SEES),
      id: 'listUsers',
      tag: 'Users',
      summary: 'List users in order of creation.',
      ...pageOfList({ schema: userList, example: [ADA], parameters: LIST.parameters }),
      run: async (c) =>
        (await users.list(pageOf(c), { ...LIST.read(c), visible: visibleTo(managerIn(c)) })).map((user) =>
          userView(user),
        ),
    }),
    route({
      method: 'get',
      path: '/v1/users/:id',
      guard: guards.manager(SEES),
      id: 'getUser',
      tag: 'Users',
      summary: 'Get a user.',
      parameters: [USER_ID],
      answer: answerOf('The user.', user, ADA),
      run: async (c) => userView(await visibleUser(c, c.req.param('id'))),
    }),
    route({
      method: 'patch',
      path: '/v1/users/:id',
      guard: guards.manager(CHANGES),
      id: 'changeUser',
      tag: 'Users',
      summary: 'Change a user.',
      description:
        'Omitted fields stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
      parameters: [USER_ID],
      request: { schema: userChanges, examples: { block: { blocked: true } } },
      answer: answerOf('The changed user.', user, { ...ADA, blocked: true }),
      run: async (c, body) => {
        const changes = changesOf(USER_FIELDS, body);
        const { userId } = await changeableUser(c, c.req.param('id'), changes);
        return userView(await users.change(userId, changes));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/users/:id',
      guard: guards.manager(CHANGES),
      id: 'deleteUser',
      tag: 'Users',
      summary: 'Delete a user.',
      description: 'The user’s keys are disabled. Usage data is kept.',
      parameters: [USER_ID],
      answer: noContent('The user is deleted.'),
      run: async (c) => {
        const { userId } = await changeableUser(c, c.req.param('id'), {});
        await users.delete(userId);
      },
    }),
    route({
      method: 'get',
      path: '/v1/users/:id/usage',
      guard: guards.manager('members see only their own usage.'),
      id: 'getUserUsage',
      tag: 'Users',
      summary: 'List a user’s requests, newest first.',
      ...pageOfList({ schema: usageLogs, example: [USAGE_LOG], parameters: [USER_ID] }),
      run: async (c) => {
        const page = pageOf(c);
        const { userId } = await visibleUser(c, c.req.param('id'));
        const manager = managerIn(c);
        const isOwn = readsEverything(manager) || userId === manager.userId;
        if (!isOwn)
          throw forbidden(
            'Reading the usage of other users requires the role viewer. For a team’s usage, use GET /v1/usage?team_id=.',
          );
        const rows = await state.usage.list({ userId, from: originOf(manager, 'user', userId) }, page);
        return rows.map((row) => usageLogView(row, readsEverything(manager)));
      },
    }),
  ];
}
