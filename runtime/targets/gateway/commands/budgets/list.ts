import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { budgetView } from '../../api/views/accounts.ts';
import { budgetText, formatTime, orDash } from '../show/format-values.ts';
import { BUDGET_ORDERS } from '../../accounts/ledger/ledger.ts';
import { listOptions, listOptionsOf } from '../options/list-options.ts';
import { listAll } from '../../store/list-all.ts';
import { storeCommand } from '../store/store-command.ts';

export const listBudgetsCommand = storeCommand({
  summary: 'List the budgets, with the number of users of each.',
  options: listOptions('budgets', 'name or id', BUDGET_ORDERS),
  prepare(invocation) {
    const query = listOptionsOf(invocation, BUDGET_ORDERS);
    return async ({ state, output, json }) => {
      const budgets = await listAll(state.budgets, query);
      if (json) return printJson(output, budgets.map(budgetView));
      if (budgets.length === 0)
        return output.err('No budgets found. Create one with `gateway budgets create`.\n');
      const users = Map.groupBy(await listAll(state.identity.users), ({ budgetId }) => budgetId);
      const rows = budgets.map((budget) => [
        budget.budgetId,
        orDash(budget.name),
        budgetText(budget),
        String(users.get(budget.budgetId)?.length ?? 0),
        formatTime(budget.createdAt),
      ]);
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const COLUMNS = ['ID', 'NAME', 'LIMIT PER USER', 'USERS', 'CREATED'];
