import type { Context } from 'hono';
import { Type, type Static } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { USER_ROLES, type User, type UserChanges } from '../accounts/identity/identity.ts';
import { ACCOUNT_STATUSES, USER_ORDERS, type UserQuery } from '../accounts/identity/list-queries.ts';
import { forbidden, originOf, readsEverything, visibleTo } from '../accounts/identity/manager.ts';
import { permitNewUser, permitUserChange, requireVisibleUser } from '../accounts/identity/user-policy.ts';
import type { GatewayContext } from '../context.ts';
import { managerIn } from './guards.ts';
import {
  CLEARED_METADATA,
  dollars,
  metadata,
  rateChanges,
  rates,
  nonEmptyText,
  text,
  time,
  timeOrNull,
} from './http/fields.ts';
import {
  filterIn,
  filterParameter,
  orderIn,
  orderParameter,
  refuseOthers,
  wordFilterIn,
  pageOfList,
  pageOf,
} from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { usageLogs } from './usage-schemas.ts';
import { USAGE_LOG } from './usage.ts';
import { userView } from './views/accounts.ts';
import { usageLogView } from './views/records.ts';

const blocked = Type.Boolean({ description: 'Whether all requests of the user are rejected.' });

const changes = {
  alias: Type.Optional(orNull(text('Display name.'))),
  budget_id: Type.Optional(orNull(text('Budget of the user. Null removes it.'))),
  metadata: Type.Optional(orNull(metadata, CLEARED_METADATA)),
  ...rateChanges,
  role: Type.Optional(
    oneOf(USER_ROLES, {
      description:
        'Objects that the user can manage: `admin` everything; `viewer` nothing, but read everything; `member` only the own keys and usage.',
    }),
  ),
};

/** @internal Exported for tests. */
export const newUser = closed('NewUser', {
  user_id: nonEmptyText('User id. Requests with the master key use it in `user`.'),
  ...changes,
  blocked: Type.Optional(orNull(blocked, 'Null means false.')),
  team_id: Type.Optional(orNull(text('Creates a service account of this team, which cannot sign in.'))),
});

/** @internal Exported for tests. */
export const userChanges = closed('UserChanges', { ...changes, blocked: Type.Optional(blocked) });

const user = closed('User', {
  user_id: Type.String(),
  alias: orNull(Type.String()),
  spend: dollars('Spending in the current window, in US dollars.'),
  reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
  budget_id: orNull(Type.String()),
  budget_started_at: timeOrNull('Start of the current window.'),
  next_budget_reset_at: timeOrNull('Start of the next window.'),
  blocked: Type.Boolean(),
  ...rates,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
  metadata,
  role: oneOf(USER_ROLES),
  team_id: orNull(Type.String({ description: 'Team of a service account; null for a person.' })),
});

const userList = Type.Array(user);

const USER_FILTERS = [
  filterParameter('search', 'Only users whose id or alias contains this text, in any case.', 'lovelace'),
  filterParameter('status', 'Only users with this status.', 'blocked', ACCOUNT_STATUSES),
  filterParameter('team_id', 'Only members and service accounts of this team.', 'research'),
  orderParameter(USER_ORDERS, '-spend'),
];

/** Reads the filters and the order of a list of users. */
function userQuery(c: Context): UserQuery {
  refuseOthers(c, USER_FILTERS);
  return {
    search: filterIn(c, 'search'),
    status: wordFilterIn(c, 'status', ACCOUNT_STATUSES),
    teamId: filterIn(c, 'team_id'),
    order: orderIn(c, USER_ORDERS),
  };
}

const ADA = {
  user_id: 'ada',
  alias: 'Ada Lovelace',
  spend: 1.25,
  reserved: 0,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-01-31T00:00:00Z',
  blocked: false,
  rpm: null,
  tpm: null,
  max_parallel: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  metadata: { team: 'engines' },
  role: 'member',
  team_id: null,
};

const USER_ID = { name: 'user_id', description: 'User id.', example: 'ada' };

const CHANGES = 'the role admin, or for service accounts of a team the role admin in this team.';
const SEES =
  'a member sees the own user, and with the role admin in a team its members and service accounts.';

/** `/v1/users`: users, to whom usage is attributed. */
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
      description: 'A deleted user is restored with no spending; its old keys stay disabled.',
      request: {
        schema: newUser,
        examples: { user: { user_id: 'ada', alias: 'Ada Lovelace', metadata: { team: 'engines' } } },
      },
      answer: answerOf('The user.', user, ADA),
      errors: [409],
      run: async (c, { user_id: userId, team_id: teamId, ...fields }) => {
        const user = { userId, teamId, ...changesIn(fields) };
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
      ...pageOfList({ schema: userList, example: [ADA], parameters: USER_FILTERS }),
      run: async (c) =>
        (await users.list(pageOf(c), { ...userQuery(c), visible: visibleTo(managerIn(c)) })).map((user) =>
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
        'Fields that are not set stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
      parameters: [USER_ID],
      request: { schema: userChanges, examples: { block: { blocked: true } } },
      answer: answerOf('The changed user.', user, { ...ADA, blocked: true }),
      run: async (c, body) => {
        const changes = changesIn(body);
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
      description: 'The user’s keys are disabled. The usage is kept.',
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
      guard: guards.manager('a member sees only the own usage.'),
      id: 'getUserUsage',
      tag: 'Users',
      summary: 'List requests of a user, newest first.',
      ...pageOfList({ schema: usageLogs, example: [USAGE_LOG], parameters: [USER_ID] }),
      run: async (c) => {
        const page = pageOf(c);
        const { userId } = await visibleUser(c, c.req.param('id'));
        const manager = managerIn(c);
        const isOwn = readsEverything(manager) || userId === manager.userId;
        if (!isOwn)
          throw forbidden('Usage of other users requires the role viewer. Use GET /v1/usage?team_id=.');
        const rows = await state.usage.list({ userId, from: originOf(manager, 'user', userId) }, page);
        return rows.map((row) => usageLogView(row, readsEverything(manager)));
      },
    }),
  ];
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
