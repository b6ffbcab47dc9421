import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { userView } from '../../api/views/accounts.ts';
import type { User } from '../../accounts/identity/identity.ts';
import { ACCOUNT_STATUSES, USER_ORDERS } from '../../accounts/identity/list-queries.ts';
import { accountStatusOption, listOptions, listOptionsOf } from '../options/list-options.ts';
import type { Budget } from '../../accounts/ledger/ledger.ts';
import { budgetText, formatDollars, formatTime, orDash } from '../show/format-values.ts';
import { listAll } from '../../store/list-all.ts';
import { storeCommand } from '../store/store-command.ts';

export const listUsersCommand = storeCommand({
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
