import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { keyView } from '../../api/views/accounts.ts';
import type { Key } from '../../accounts/identity/identity.ts';
import { KEY_ORDERS, KEY_STATUSES } from '../../accounts/identity/list-queries.ts';
import { listOptions, listOptionsOf } from '../options/list-options.ts';
import { budgetText, formatDollars, formatTime, orDash } from '../show/format-values.ts';
import { listAll } from '../../store/list-all.ts';
import { storeCommand } from '../store/store-command.ts';

export const listKeysCommand = storeCommand({
  summary: 'List the keys, without their secrets.',
  options: {
    user: { value: 'user_id', help: 'Only keys of this user' },
    team: { value: 'team_id', help: 'Only keys of this team' },
    status: {
      value: 'status',
      help: 'Only keys with this status',
      choices: KEY_STATUSES,
    },
    ...listOptions('keys', 'name, prefix, id or user', KEY_ORDERS),
  },
  prepare(invocation) {
    const query = {
      userId: invocation.value('user'),
      teamId: invocation.value('team'),
      status: KEY_STATUSES.find((status) => status === invocation.value('status')),
      ...listOptionsOf(invocation, KEY_ORDERS),
    };
    return async ({ state, output, json }) => {
      const keys = await listAll(state.identity.keys, query);
      if (json) {
        printJson(output, keys.map(keyView));
      } else if (keys.length === 0) {
        output.err('No keys found. Create one with `gateway keys create`.\n');
      } else {
        printLines(output, formatTable(COLUMNS, keys.map(row), stdoutTerminal()));
      }
    };
  },
});

const COLUMNS = ['ID', 'NAME', 'KEY', 'USER', 'TEAM', 'STATUS', 'SPENT', 'BUDGET', 'EXPIRES', 'LAST USED'];
const STYLES = { active: 'green', inactive: 'dim', expired: 'yellow' } as const;

const row = (key: Key): Parameters<typeof formatTable>[1][number] => [
  key.id,
  orDash(key.keyName),
  `${key.keyPrefix}…`,
  key.userId,
  orDash(key.teamId),
  { text: key.status, style: STYLES[key.status] },
  formatDollars(key.spent),
  key.budget === null ? '-' : budgetText(key.budget),
  formatTime(key.expiresAt),
  formatTime(key.lastUsedAt),
];
