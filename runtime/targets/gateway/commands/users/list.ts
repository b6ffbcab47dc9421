import { printJson, printLines } from '../../../../serve/cli/print.ts';
import { formatTable } from '../../../../serve/cli/table.ts';
import { stdoutTerminal } from '../../../../serve/cli/terminal.ts';
import { userView } from '../../front/users/view.ts';
import type { User } from '../../accounts/identity/identity.ts';
import type { Budget } from '../../accounts/ledger/ledger.ts';
import { budgetText, dollars, moment, orDash } from '../show/texts.ts';
import { everyPage } from '../../store/every-page.ts';
import { storeCommand } from '../store/store-command.ts';

export const listUsersCommand = storeCommand({
  summary: 'List the users and what they have spent.',
  options: {},
  prepare:
    () =>
    async ({ state, output, json }) => {
      const users = await everyPage(state.identity.users);
      if (json) return printJson(output, users.map(userView));
      if (users.length === 0) return output.err('There are no users. `gateway users create` makes one.\n');
      const budgets = new Map((await everyPage(state.budgets)).map((budget) => [budget.budgetId, budget]));
      const rows = users.map((user) => rowOf(user, budgets.get(user.budgetId ?? '')));
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    },
});

const COLUMNS = ['ID', 'ALIAS', 'STATUS', 'SPENT', 'BUDGET', 'BEGINS ANEW', 'CREATED'];

const rowOf = (user: User, budget: Budget | undefined): Parameters<typeof formatTable>[1][number] => [
  user.userId,
  orDash(user.alias),
  user.blocked ? { text: 'blocked', style: 'red' } : { text: 'active', style: 'green' },
  dollars(user.spent),
  budget === undefined ? '-' : (budget.name ?? budgetText(budget)),
  moment(user.nextBudgetResetAt),
  moment(user.createdAt),
];
