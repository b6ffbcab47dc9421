import type { CommandGroup } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { notFound } from '../accounts/identity/checks.ts';
import { type SpeedSummary, SPEED_GROUPINGS, UTC } from '../accounts/ledger/trends/trends-api.ts';
import { usageLogView, latencyView } from '../api/views/records.ts';
import { USAGE_STATUSES } from '../shared/record-words.ts';
import type { UsageRow } from '../store/schema.ts';
import { findKey } from './store/find-account.ts';
import { pastRangeOf } from './options/time-options.ts';
import { formatDollars, formatSecond, orDash, recordLines, statusCell } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const listRequestsCommand = storeCommand({
  summary: 'List past requests and failed attempts with their IDs, newest first.',
  options: {
    user: { value: 'user_id', help: 'Only requests from this user' },
    key: { value: 'id|name|prefix', help: 'Only requests with this key' },
    team: { value: 'team_id', help: 'Only requests from this team' },
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
      status: USAGE_STATUSES.find((known) => known === invocation.value('status')),
      ...pastRangeOf(invocation, now),
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
      else printLines(output, formatTable(REQUEST_COLUMNS, rows.map(requestRow), stdoutTerminal()));
    };
  },
});

const REQUEST_COLUMNS = ['TIME', 'ID', 'USER', 'MODEL', 'STATUS', 'COST', 'MS'];

const requestRow = (row: UsageRow): Parameters<typeof formatTable>[1][number] => [
  formatSecond(row.timestamp),
  row.id,
  orDash(row.user_id),
  row.model,
  statusCell(row),
  row.cost_nano === null ? '-' : formatDollars(row.cost_nano),
  orDash(row.latency_ms),
];

const getRequestCommand = storeCommand({
  summary: 'Show a past request with its attempts and the reason for each failure.',
  positionals: '<id>',
  options: {},
  prepare(invocation) {
    const [id] = exactly(invocation, '<id>');
    return async ({ state: { requests }, output, json }) => {
      const rows = await requests.attempts(id);
      if (rows.length === 0) throw notFound(`Request '${id}' not found`, 'request_not_found');
      if (json)
        printJson(
          output,
          rows.map((row) => usageLogView(row, true)),
        );
      else
        printLines(
          output,
          rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...linesOf(row)]),
        );
    };
  },
});

const linesOf = (row: UsageRow): string[] =>
  recordLines({
    attempt: String(row.attempt),
    time: formatSecond(row.timestamp),
    request: orDash(row.request_id),
    user: orDash(row.user_id),
    key: orDash(row.api_key_id),
    model: row.model,
    endpoint: row.endpoint,
    status: row.status === 'error' ? `error ${row.status_code ?? ''}` : row.status,
    ...(row.error_message !== null && { error: row.error_message }),
    ...(row.error_detail !== null && { reason: row.error_detail }),
    tokens: `${orDash(row.prompt_tokens)} in, ${orDash(row.completion_tokens)} out`,
    cost: row.cost_nano === null ? '-' : formatDollars(row.cost_nano),
    'duration ms': orDash(row.latency_ms),
    'first output ms': orDash(row.ttft_ms),
  });

const DAY_MS = 86_400_000;

const latencyCommand = storeCommand({
  summary: 'Show percentiles of durations and of output tokens per second.',
  options: {
    user: { value: 'user_id', help: 'Only requests from this user' },
    'group-by': { value: 'word', help: 'What to group by', choices: SPEED_GROUPINGS, fallback: 'model' },
    days: { value: 'number', help: 'Number of past days', fallback: '7' },
    ...commonOptions({ limit: { help: 'Maximum number of groups', fallback: '20' } }),
  },
  prepare(invocation) {
    const to = Math.ceil((Date.now() + 1) / DAY_MS) * DAY_MS;
    const days = requiredNumber(invocation, 'days', { min: 1, max: 800 });
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const by = SPEED_GROUPINGS.find((known) => known === invocation.value('group-by')) ?? 'model';
    const id = invocation.value('user');
    const range = { from: to - days * DAY_MS, to, interval: 'day', timeZone: UTC } as const;
    return async ({ state: { trends }, output, json }) => {
      const scope = id === undefined ? undefined : ({ kind: 'user', id } as const);
      const speeds = await trends.speeds(range, scope, by);
      if (json) return printJson(output, latencyView(range, speeds, limit));
      if (speeds.all.answers === 0) return output.err('No answers found.\n');
      const rows = speeds.groups.slice(0, limit).map((one) => latencyRow(one.group ?? '-', one));
      return printLines(
        output,
        formatTable(LATENCY_COLUMNS, [...rows, latencyRow('all', speeds.all)], stdoutTerminal()),
      );
    };
  },
});

const LATENCY_COLUMNS = [
  'NAME',
  'ANSWERS',
  'P50 MS',
  'P95 MS',
  'P99 MS',
  'FIRST P50',
  'FIRST P95',
  'TOKENS/S P50',
  'P95',
];

const latencyRow = (name: string, one: SpeedSummary): string[] => [
  name,
  String(one.answers),
  text(one.latency.p50),
  text(one.latency.p95),
  text(one.latency.p99),
  text(one.firstOutput.p50),
  text(one.firstOutput.p95),
  text(one.tokensPerSecond.p50),
  text(one.tokensPerSecond.p95),
];

const text = (value: number | null): string => (value === null ? '-' : String(value));

export const REQUEST_COMMANDS: CommandGroup = {
  summary: 'Show past requests, their attempts, and how long they took.',
  commands: { list: listRequestsCommand, get: getRequestCommand, latency: latencyCommand },
};
