import { printJson, printLines } from '../../../../serve/cli/print.ts';
import { formatTable } from '../../../../serve/cli/table.ts';
import { stdoutTerminal } from '../../../../serve/cli/terminal.ts';
import { budgetView } from '../../front/budgets/view.ts';
import { budgetText, moment, orDash } from '../show/texts.ts';
import { everyPage } from '../../store/every-page.ts';
import { storeCommand } from '../store/store-command.ts';

export const listBudgetsCommand = storeCommand({
  summary: 'List the budgets and how many users have each.',
  options: {},
  prepare:
    () =>
    async ({ state, output, json }) => {
      const budgets = await everyPage(state.budgets);
      if (json) return printJson(output, budgets.map(budgetView));
      if (budgets.length === 0)
        return output.err('There are no budgets. `gateway budgets create` makes one.\n');
      const users = Map.groupBy(await everyPage(state.identity.users), ({ budgetId }) => budgetId);
      const rows = budgets.map((budget) => [
        budget.budgetId,
        orDash(budget.name),
        budgetText(budget),
        String(users.get(budget.budgetId)?.length ?? 0),
        moment(budget.createdAt),
      ]);
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    },
});

const COLUMNS = ['ID', 'NAME', 'EACH USER MAY SPEND', 'USERS', 'CREATED'];
