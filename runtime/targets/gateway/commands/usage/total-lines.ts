import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { UsageTotals } from '../../accounts/ledger/usage-api.ts';
import { formatDollars } from '../show/format-values.ts';

export interface TotalRow {
  /** The group that the totals belong to, for example a user and a model. */
  readonly labels: readonly string[];
  readonly totals: UsageTotals;
}

/** Formats a table with a line for each group, and one for the total. */
export const totalLines = (heads: readonly string[], rows: readonly TotalRow[], all: UsageTotals): string[] =>
  formatTable(
    [...heads, 'REQUESTS', 'ERRORS', 'IN', 'CACHED', 'OUT', 'COST'],
    [...rows, { labels: heads.map((_, index) => (index === 0 ? 'total' : '')), totals: all }].map(cellsOf),
    stdoutTerminal(),
  );

const cellsOf = ({ labels, totals }: TotalRow): string[] => [
  ...labels,
  String(totals.requests),
  String(totals.errors),
  String(totals.promptTokens),
  String(totals.cachedTokens),
  String(totals.completionTokens),
  costText(totals, '-'),
];

/** Returns `unknown` if no request had a price. */
const costText = ({ cost, unpriced }: UsageTotals, unknown: string): string =>
  cost === 0n && unpriced > 0 ? unknown : formatDollars(cost);

/** Formats totals as a sentence. */
export function totalSentence(totals: UsageTotals): string {
  const requests = `${totals.requests} request${totals.requests === 1 ? '' : 's'}`;
  const tokens = `${totals.promptTokens} tokens in, ${totals.completionTokens} out`;
  const cancelled = totals.cancelled > 0 ? `, ${totals.cancelled} cancelled` : '';
  return `Total: ${requests}, ${totals.errors} failed${cancelled}, ${tokens}, ${costText(totals, 'cost unknown')}.`;
}
