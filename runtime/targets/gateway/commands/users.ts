import { AppError } from '#contract/errors.ts';
import { shellWord } from '#core/text/shell-word.ts';
import type { CommandGroup } from '#serve/cli/command.ts';
import { type User, USER_FIELDS } from '../accounts/fields/users.ts';
import { ACCOUNT_STATUSES, USER_ORDERS } from '../accounts/identity/list-queries.ts';
import { userView } from '../api/views/accounts.ts';
import { listAll } from '../store/list-all.ts';
import { changedFields, fieldOptions, newFields } from './options/field-options.ts';
import { accountStatusOption, listOptions, listOptionsOf } from './options/list-options.ts';
import { fieldRecord } from './show/field-record.ts';
import { budgetCells, formatDollars, formatTime, orDash, statusOfAccount } from './show/format-values.ts';
import { findUser } from './store/find-account.ts';
import { resourceCommands } from './store/resource-commands.ts';

const ARGUMENT = '<user_id|alias>';
/** The order of flags in the help. */
const ORDER = {
  first: ['blocked', 'team', 'block', 'unblock', 'alias', 'budget', 'role'],
  last: ['metadata'],
};

const COMMANDS = resourceCommands<User>({
  argument: ARGUMENT,
  find: async ({ state }, text) => await findUser(state.identity.users, text),
  view: userView,
  record: (user) =>
    fieldRecord(USER_FIELDS, user, {
      first: ['id', 'alias', 'role', 'service account of', 'blocked'],
      last: ['created', 'metadata'],
    }),
  list: {
    summary: 'List the users and their spending.',
    options: {
      team: { value: 'team_id', help: 'Only members and service accounts of this team' },
      ...accountStatusOption('users', ACCOUNT_STATUSES),
      ...listOptions('users', 'id or alias', USER_ORDERS),
    },
    prepare(invocation) {
      const query = {
        teamId: invocation.value('team'),
        status: ACCOUNT_STATUSES.find((status) => status === invocation.value('status')),
        ...listOptionsOf(invocation, USER_ORDERS),
      };
      return async ({ state }) => await listAll(state.identity.users, query);
    },
    none: 'No users found. Create one with `gateway users create`.',
    heads: ['ID', 'ALIAS', 'ROLE', 'STATUS', 'SPENT', 'BUDGET', 'BUDGET RESETS', 'CREATED'],
    async rows(users, { state }) {
      const budgetCell = await budgetCells(state.budgets);
      return users.map((user) => [
        user.userId,
        orDash(user.alias),
        user.teamId === null ? user.role : `service of ${user.teamId}`,
        statusOfAccount(user),
        formatDollars(user.spent),
        budgetCell(user),
        formatTime(user.nextBudgetResetAt),
        formatTime(user.createdAt),
      ]);
    },
  },
  get: { summary: 'Show a user.' },
  create: {
    summary: 'Create a user.',
    argument: '<user_id>',
    options: fieldOptions(USER_FIELDS, 'create', ORDER),
    prepare(invocation, userId) {
      const fields = newFields(USER_FIELDS, invocation);
      return async ({ state }) =>
        await state.identity.users
          .create({ ...(await fields.values(state)), userId })
          .catch((error: unknown) => {
            throw withRemedy(error, userId);
          });
    },
  },
  update: {
    summary: 'Change, block or unblock a user. A running gateway applies the change within a second.',
    options: fieldOptions(USER_FIELDS, 'update', ORDER),
    prepare(invocation, text) {
      const changes = changedFields(USER_FIELDS, invocation);
      return async ({ state }) => {
        const { users } = state.identity;
        const { userId } = await findUser(users, text);
        return await users.change(userId, await changes.values(state));
      };
    },
  },
  delete: {
    summary: 'Delete a user. Its keys are disabled and its usage is kept.',
    async run(text, { state: { identity } }) {
      const { userId } = await findUser(identity.users, text);
      await identity.users.delete(userId);
      return [{ user_id: userId }, `Deleted user ${userId} and disabled their keys.`];
    },
  },
});

function withRemedy(error: unknown, userId: string): unknown {
  if (!(error instanceof AppError) || error.reason !== 'user_exists') return error;
  return new AppError(
    'ConflictError',
    `${error.message}. Change it with \`gateway users update ${shellWord(userId)}\`.`,
    {
      cause: error,
    },
  );
}

export const USER_COMMANDS: CommandGroup = {
  summary: 'Manage users, their budgets and limits.',
  commands: {
    create: COMMANDS.create,
    list: COMMANDS.list,
    get: COMMANDS.get,
    update: COMMANDS.update,
    delete: COMMANDS.delete,
  },
};
