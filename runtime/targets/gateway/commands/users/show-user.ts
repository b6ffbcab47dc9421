import { printJson, printLines } from '#serve/cli/print.ts';
import { userView } from '../../api/views/accounts.ts';
import type { User } from '../../accounts/identity/identity.ts';
import { limitRecord } from '../show/limit-record.ts';
import { recordLines } from '../show/record-lines.ts';
import { formatDollars, formatTime, orDash } from '../show/format-values.ts';
import type { StoreContext } from '../store/store-command.ts';

export function showUser(user: User, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
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
