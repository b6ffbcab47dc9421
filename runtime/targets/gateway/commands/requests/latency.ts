import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import type { SpeedSummary } from '../../accounts/ledger/trends/trends-api.ts';
import { SPEED_GROUPINGS } from '../../accounts/ledger/trends/trends-api.ts';
import { latencyView } from '../../api/views/records.ts';
import { storeCommand } from '../store/store-command.ts';

const DAY_MS = 86_400_000;

export const latencyCommand = storeCommand({
  summary: 'Show percentiles of durations and of output tokens per second.',
  options: {
    user: { value: 'user_id', help: 'Only requests of this user' },
    'group-by': { value: 'word', help: 'What a group is', choices: SPEED_GROUPINGS, fallback: 'model' },
    days: { value: 'number', help: 'Number of days until now', fallback: '7' },
    ...commonOptions({ limit: { help: 'Maximum number of groups', fallback: '20' } }),
  },
  prepare(invocation) {
    const to = Math.ceil((Date.now() + 1) / DAY_MS) * DAY_MS;
    const days = requiredNumber(invocation, 'days', { min: 1, max: 800 });
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const by = SPEED_GROUPINGS.find((known) => known === invocation.value('group-by')) ?? 'model';
    const id = invocation.value('user');
    const range = { from: to - days * DAY_MS, to, interval: 'day' } as const;
    return async ({ state: { trends }, output, json }) => {
      const scope = id === undefined ? undefined : ({ kind: 'user', id } as const);
      const speeds = await trends.speeds(range, scope, by);
      if (json) return printJson(output, latencyView(range, speeds, limit));
      if (speeds.all.answers === 0) return output.err('No answers found.\n');
      const rows = speeds.groups.slice(0, limit).map((one) => rowOf(one.group ?? '-', one));
      return printLines(output, formatTable(COLUMNS, [...rows, rowOf('all', speeds.all)], stdoutTerminal()));
    };
  },
});

const COLUMNS = [
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

const rowOf = (name: string, one: SpeedSummary): string[] => [
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
