import { printJson, printLines } from '#serve/cli/print.ts';
import { budgetView } from '../../api/views/accounts.ts';
import type { Budget } from '../../accounts/ledger/ledger.ts';
import { recordLines } from '../show/record-lines.ts';
import { budgetText, formatTime, orDash, thresholdsText } from '../show/format-values.ts';
import type { StoreContext } from '../store/store-command.ts';

export function showBudget(budget: Budget, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, budgetView(budget));
  else printLines(output, recordLines(recordOf(budget)));
}

const recordOf = (budget: Budget): Record<string, string> => ({
  id: budget.budgetId,
  name: orDash(budget.name),
  'limit per user': budgetText(budget),
  'alerts at': thresholdsText(budget.alertThresholds),
  created: formatTime(budget.createdAt),
  updated: formatTime(budget.updatedAt),
});
