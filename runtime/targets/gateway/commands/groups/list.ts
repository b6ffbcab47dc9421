import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { Group } from '../../accounts/identity/groups-api.ts';
import { ACCOUNT_STATUSES } from '../../accounts/identity/list-queries.ts';
import { accountStatusOption, listOptions, listOptionsOf } from '../options/list-options.ts';
import type { Budget } from '../../accounts/ledger/ledger.ts';
import { listAll } from '../../store/list-all.ts';
import { budgetText, formatDollars, formatTime, modelsText, orDash } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';
import type { GroupKindInfo } from './group-kind.ts';

export const listGroupsCommand = (kind: GroupKindInfo) =>
  storeCommand({
    summary: `List the ${kind.plural} and their spending.`,
    options: {
      ...(kind.noun === 'team' ? ORGANIZATION : {}),
      ...accountStatusOption(kind.plural, ACCOUNT_STATUSES),
      ...listOptions(kind.plural, 'id or alias', kind.orders),
    },
    prepare(invocation) {
      const query = {
        organizationId: kind.noun === 'team' ? invocation.value('org') : undefined,
        status: ACCOUNT_STATUSES.find((status) => status === invocation.value('status')),
        ...listOptionsOf(invocation, kind.orders),
      };
      return async ({ state, output, json }) => {
        const groups = await listAll(kind.groupsOf(state.identity), query);
        if (json) return printJson(output, groups.map(kind.view));
        if (groups.length === 0)
          return output.err(`No ${kind.plural} found. Create one with \`gateway ${kind.command} create\`.\n`);
        const budgets = new Map((await listAll(state.budgets)).map((budget) => [budget.budgetId, budget]));
        const heads = ['ID', 'ALIAS', ...(kind.noun === 'team' ? ['ORGANIZATION'] : []), ...COLUMNS];
        const rows = groups.map((group) => rowOf(group, kind, budgets.get(group.budgetId ?? '')));
        return printLines(output, formatTable(heads, rows, stdoutTerminal()));
      };
    },
  });

const ORGANIZATION = { org: { value: 'organization_id', help: 'Only teams of this organization' } };
const COLUMNS = ['STATUS', 'MODELS', 'SPENT', 'BUDGET', 'BUDGET RESETS', 'CREATED'];

const rowOf = (
  group: Group,
  { noun }: GroupKindInfo,
  budget: Budget | undefined,
): Parameters<typeof formatTable>[1][number] => [
  group.id,
  orDash(group.alias),
  ...(noun === 'team' ? [orDash(group.organizationId)] : []),
  group.blocked ? { text: 'blocked', style: 'red' } : { text: 'active', style: 'green' },
  modelsText(group.allowedModels),
  formatDollars(group.spent),
  budget === undefined ? '-' : (budget.name ?? budgetText(budget)),
  formatTime(group.nextBudgetResetAt),
  formatTime(group.createdAt),
];
