import { USAGE_STATUSES } from '../../accounts/ledger/ledger.ts';
import { statusCell } from '../show/status-cell.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { usageLogView } from '../../api/views/records.ts';
import type { UsageRow } from '../../store/schema.ts';
import { findKey } from '../keys/find-key.ts';
import { pastTimeOf } from '../options/time-options.ts';
import { formatDollars, formatSecond, orDash } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

export const listRequestsCommand = storeCommand({
  summary: 'List past requests and failed attempts with their ids, newest first.',
  options: {
    user: { value: 'user_id', help: 'Only requests of this user' },
    key: { value: 'id|name|prefix', help: 'Only requests with this key' },
    team: { value: 'team_id', help: 'Only requests of this team' },
    model: { value: 'model', help: 'Only requests to this model, provider:model' },
    status: { value: 'status', help: 'Only requests with this outcome', choices: USAGE_STATUSES },
    from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
    to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
    ...commonOptions({ limit: { help: 'Maximum number of requests', fallback: '20' } }),
  },
  prepare(invocation) {
    const now = Date.now();
    const named = {
      userId: invocation.value('user'),
      teamId: invocation.value('team'),
      model: invocation.value('model'),
      status: invocation.value('status'),
      from: pastTimeOf(invocation, 'from', now),
      to: pastTimeOf(invocation, 'to', now),
    };
    const key = invocation.value('key');
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    return async ({ state: { requests, identity }, output, json }) => {
      const keyId = key === undefined ? undefined : (await findKey(identity.keys, key)).id;
      const rows = await requests.list({ ...named, keyId }, undefined, limit);
      if (json)
        printJson(
          output,
          rows.map((row) => usageLogView(row, true)),
        );
      else if (rows.length === 0) output.err('No requests found.\n');
      else printLines(output, formatTable(COLUMNS, rows.map(rowOf), stdoutTerminal()));
    };
  },
});

const COLUMNS = ['TIME', 'ID', 'USER', 'MODEL', 'STATUS', 'COST', 'MS'];

const rowOf = (row: UsageRow): Parameters<typeof formatTable>[1][number] => [
  formatSecond(row.timestamp),
  row.id,
  orDash(row.user_id),
  row.model,
  statusCell(row),
  row.cost_nano === null ? '-' : formatDollars(row.cost_nano),
  orDash(row.latency_ms),
];
