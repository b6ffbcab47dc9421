import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { budgetResetView } from '../../api/views/accounts.ts';
import { formatDollars, formatTime } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

export const budgetResetsCommand = storeCommand({
  summary: 'List past budget resets and the spending before each, newest first.',
  options: {
    user: { value: 'user_id', help: 'Only resets of this user' },
    ...commonOptions({ limit: { fallback: '20' } }),
  },
  prepare(invocation) {
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const user = invocation.value('user');
    return async ({ state, output, json }) => {
      const resets = await state.budgets.resets({ skip: 0, limit }, user);
      if (json) return printJson(output, resets.map(budgetResetView));
      if (resets.length === 0) {
        const owner = user === undefined ? '' : ` of user ${JSON.stringify(user)}`;
        return output.err(`No budget${owner} has been reset yet.\n`);
      }
      const rows = resets.map((reset) => [
        formatTime(reset.resetAt),
        reset.userId,
        formatDollars(reset.previousSpend),
        formatTime(reset.nextResetAt),
      ]);
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const COLUMNS = ['RESET', 'USER', 'SPENT BEFORE', 'NEXT RESET'];
