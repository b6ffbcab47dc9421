import { AppError } from '#contract/errors.ts';
import { shellWord } from '#core/text/shell-word.ts';
import type { Invocation, Option, CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { USER_ROLES, type UserChanges, type User, type Users } from '../accounts/identity/identity.ts';
import { ACCOUNT_STATUSES, USER_ORDERS } from '../accounts/identity/list-queries.ts';
import type { Budgets, Budget } from '../accounts/ledger/ledger.ts';
import { userView } from '../api/views/accounts.ts';
import { listAll } from '../store/list-all.ts';
import { findBudget } from './budgets.ts';
import { METADATA_OPTION, metadataOf, requireChanges, readToggle } from './options/changes.ts';
import { LIMIT_OPTIONS, limitsOf } from './options/limit-options.ts';
import { accountStatusOption, listOptions, listOptionsOf } from './options/list-options.ts';
import {
  formatDollars,
  formatTime,
  orDash,
  budgetText,
  limitRecord,
  printResult,
  recordLines,
} from './show/format-values.ts';
import { findOne } from './store/find-one.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

/** Options of `users create` and `users update`. */
const USER_OPTIONS = {
  alias: { value: 'name', help: 'Display name of the user' },
  budget: { value: 'id|name', help: 'Budget of the user, or none' },
  role: {
    value: 'role',
    help: 'admin manages everything, viewer reads everything, member manages the own keys',
    choices: USER_ROLES,
  },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
} satisfies Readonly<Record<string, Option>>;

const userFields = (invocation: Invocation): Omit<UserChanges, 'blocked' | 'budgetId'> => ({
  alias: invocation.value('alias'),
  metadata: metadataOf(invocation),
  role: USER_ROLES.find((known) => known === invocation.value('role')),
  ...limitsOf(invocation),
});

/** Returns the id of the budget that the command line names; null for `none`. */
export async function budgetIdOf(
  budgets: Budgets,
  text: string | undefined,
): Promise<string | null | undefined> {
  if (text === undefined) return undefined;
  return text === 'none' ? null : (await findBudget(budgets, text)).budgetId;
}

/** Finds a user by its id, or by an alias that no other user has. */
export const findUser = async (users: Users, text: string): Promise<User> =>
  findOne(text, await listAll(users), {
    kind: 'user',
    list: 'gateway users list',
    idOf: ({ userId }) => userId,
    namesOf: ({ alias }) => [alias],
  });

function showUser(user: User, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, userView(user));
  else printLines(output, recordLines(recordOf(user)));
}

const recordOf = (user: User): Record<string, string> => ({
  id: user.userId,
  alias: orDash(user.alias),
  role: user.role,
  'service account of': orDash(user.teamId),
  blocked: user.blocked ? 'yes' : 'no',
  spent: formatDollars(user.spent),
  reserved: formatDollars(user.reserved),
  budget: orDash(user.budgetId),
  'budget started': formatTime(user.budgetStartedAt),
  'budget resets': formatTime(user.nextBudgetResetAt),
  ...limitRecord(user),
  created: formatTime(user.createdAt),
  metadata: JSON.stringify(user.metadata),
});

const listUsersCommand = storeCommand({
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
    return async ({ state, output, json }) => {
      const users = await listAll(state.identity.users, query);
      if (json) return printJson(output, users.map(userView));
      if (users.length === 0) return output.err('No users found. Create one with `gateway users create`.\n');
      const budgets = new Map((await listAll(state.budgets)).map((budget) => [budget.budgetId, budget]));
      const rows = users.map((user) => rowOf(user, budgets.get(user.budgetId ?? '')));
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const COLUMNS = ['ID', 'ALIAS', 'ROLE', 'STATUS', 'SPENT', 'BUDGET', 'BUDGET RESETS', 'CREATED'];

const rowOf = (user: User, budget: Budget | undefined): Parameters<typeof formatTable>[1][number] => [
  user.userId,
  orDash(user.alias),
  user.teamId === null ? user.role : `service of ${user.teamId}`,
  user.blocked ? { text: 'blocked', style: 'red' } : { text: 'active', style: 'green' },
  formatDollars(user.spent),
  budget === undefined ? '-' : (budget.name ?? budgetText(budget)),
  formatTime(user.nextBudgetResetAt),
  formatTime(user.createdAt),
];

const getUserCommand = storeCommand({
  summary: 'Show a user.',
  positionals: '<user_id|alias>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    return async ({ state, output, json }) =>
      showUser(await findUser(state.identity.users, text), { output, json });
  },
});

const createUserCommand = storeCommand({
  summary: 'Create a user.',
  positionals: '<user_id>',
  options: {
    blocked: { help: 'Reject requests of the user' },
    team: { value: 'team_id', help: 'Create a service account of this team' },
    ...USER_OPTIONS,
  },
  prepare(invocation) {
    const [userId] = exactly(invocation, '<user_id>');
    const fields = { ...userFields(invocation), blocked: invocation.flag('blocked') };
    const teamId = invocation.value('team');
    return async ({ state, output, json }) => {
      const budgetId = await budgetIdOf(state.budgets, invocation.value('budget'));
      const user = await state.identity.users
        .create({ ...fields, userId, teamId, budgetId })
        .catch((error: unknown) => {
          throw withRemedy(error, userId);
        });
      showUser(user, { output, json });
    };
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

const updateUserCommand = storeCommand({
  summary: 'Change, block or unblock a user. A running gateway applies the change within a second.',
  positionals: '<user_id|alias>',
  options: {
    block: { help: 'Reject requests of the user' },
    unblock: { help: 'Accept requests of the user again' },
    ...USER_OPTIONS,
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    const budget = invocation.value('budget');
    const fields = { ...userFields(invocation), blocked: readToggle(invocation, 'block', 'unblock') };
    requireChanges({ ...fields, budget });
    return async ({ state: { identity, budgets }, output, json }) => {
      const { userId } = await findUser(identity.users, text);
      const budgetId = await budgetIdOf(budgets, budget);
      showUser(await identity.users.change(userId, { ...fields, budgetId }), { output, json });
    };
  },
});

const deleteUserCommand = storeCommand({
  summary: 'Delete a user. Its keys are disabled and its usage is kept.',
  positionals: '<user_id|alias>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    return async ({ state: { identity }, output, json }) => {
      const { userId } = await findUser(identity.users, text);
      await identity.users.delete(userId);
      printResult(
        { output, json },
        { user_id: userId, deleted: true },
        `Deleted user ${userId} and disabled its keys.`,
      );
    };
  },
});

export const USER_COMMANDS: CommandGroup = {
  summary: 'Manage users, their budgets and limits.',
  commands: {
    create: createUserCommand,
    list: listUsersCommand,
    get: getUserCommand,
    update: updateUserCommand,
    delete: deleteUserCommand,
  },
};
