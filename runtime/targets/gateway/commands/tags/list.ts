import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { tagView } from '../../api/views/accounts.ts';
import { listAll } from '../../store/list-all.ts';
import { budgetText, formatDollars, formatTime } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

export const listTagsCommand = storeCommand({
  summary: 'List the tags that have a budget.',
  options: {},
  prepare:
    () =>
    async ({ state: { identity, budgets }, output, json }) => {
      const tags = await listAll(identity.tags);
      if (json) return printJson(output, tags.map(tagView));
      if (tags.length === 0) return output.err('No tag has a budget. Assign one with `gateway tags set`.\n');
      const known = new Map((await listAll(budgets)).map((budget) => [budget.budgetId, budget]));
      const rows = tags.map(({ tag, budgetId, spent, nextBudgetResetAt }) => {
        const budget = known.get(budgetId);
        return [
          tag,
          budget ? budgetText(budget) : budgetId,
          formatDollars(spent),
          formatTime(nextBudgetResetAt),
        ];
      });
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    },
});

const COLUMNS = ['TAG', 'BUDGET', 'SPENT', 'NEXT RESET'];
