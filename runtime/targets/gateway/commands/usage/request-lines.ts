import { statusCell } from '../show/status-cell.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { UsageRow } from '../../store/schema.ts';
import { formatDollars, formatSecond, orDash } from '../show/format-values.ts';

/** Formats a table with a line for each request. */
export const requestLines = (rows: readonly UsageRow[]): string[] =>
  rows.length === 0 ? [] : formatTable(COLUMNS, rows.map(rowOf), stdoutTerminal());

const COLUMNS = ['TIME', 'USER', 'MODEL', 'ENDPOINT', 'STATUS', 'IN', 'OUT', 'COST', 'MS'];

const rowOf = (row: UsageRow): Parameters<typeof formatTable>[1][number] => [
  formatSecond(row.timestamp),
  orDash(row.user_id),
  row.model,
  row.endpoint,
  statusCell(row),
  tokens(row.prompt_tokens, row),
  tokens(row.completion_tokens, row),
  row.cost_nano === null ? '-' : formatDollars(row.cost_nano),
  orDash(row.latency_ms),
];

/** Marks estimated counts, which the provider did not report, with `~`. */
const tokens = (count: number | null, { estimated }: UsageRow): string =>
  count === null ? '-' : `${estimated === 1 ? '~' : ''}${count}`;
