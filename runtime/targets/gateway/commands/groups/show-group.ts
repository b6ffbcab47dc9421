import { printJson, printLines } from '#serve/cli/print.ts';
import type { Group } from '../../accounts/identity/groups-api.ts';
import { formatDollars, formatTime, modelsText, orDash } from '../show/format-values.ts';
import { limitRecord } from '../show/limit-record.ts';
import { recordLines } from '../show/record-lines.ts';
import type { StoreContext } from '../store/store-command.ts';
import type { GroupKindInfo } from './group-kind.ts';

export function showGroup(
  group: Group,
  kind: GroupKindInfo,
  { output, json }: Pick<StoreContext, 'output' | 'json'>,
): void {
  if (json) printJson(output, kind.view(group));
  else printLines(output, recordLines(recordOf(group, kind)));
}

const recordOf = (group: Group, { noun }: GroupKindInfo): Record<string, string> => ({
  id: group.id,
  alias: orDash(group.alias),
  ...(noun === 'team' && { organization: orDash(group.organizationId) }),
  blocked: group.blocked ? 'yes' : 'no',
  models: modelsText(group.allowedModels),
  spent: formatDollars(group.spent),
  reserved: formatDollars(group.reserved),
  budget: orDash(group.budgetId),
  'budget started': formatTime(group.budgetStartedAt),
  'budget resets': formatTime(group.nextBudgetResetAt),
  ...limitRecord(group),
  created: formatTime(group.createdAt),
  metadata: JSON.stringify(group.metadata),
});
