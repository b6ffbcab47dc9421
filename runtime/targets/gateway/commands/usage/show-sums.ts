import { formatTable } from '../../../../serve/cli/table.ts';
import { stdoutTerminal } from '../../../../serve/cli/terminal.ts';
import type { UsageTotals } from '../../accounts/ledger/usage-api.ts';
import { dollars } from '../show/texts.ts';

export interface SumRow {
  /** What the sums are of. */
  readonly labels: readonly string[];
  readonly totals: UsageTotals;
}

/** Sums, a line for each, and one for all of them. */
export const sumLines = (heads: readonly string[], rows: readonly SumRow[], all: UsageTotals): string[] =>
  formatTable(
    [...heads, 'REQUESTS', 'ERRORS', 'IN', 'CACHED', 'OUT', 'COST'],
    [...rows, { labels: heads.map((_, index) => (index === 0 ? 'total' : '')), totals: all }].map(cellsOf),
    stdoutTerminal(),
  );

const cellsOf = ({ labels, totals }: SumRow): string[] => [
  ...labels,
  String(totals.requests),
  String(totals.errors),
  String(totals.promptTokens),
  String(totals.cachedTokens),
  String(totals.completionTokens),
  costText(totals, '-'),
];

/** The cost of models without a price is not known. */
const costText = ({ cost, unpriced }: UsageTotals, unknown: string): string =>
  cost === 0n && unpriced > 0 ? unknown : dollars(cost);

/** The same in a sentence. */
export function totalSentence(totals: UsageTotals): string {
  const requests = `${totals.requests} request${totals.requests === 1 ? '' : 's'}`;
  const tokens = `${totals.promptTokens} tokens in, ${totals.completionTokens} out`;
  return `In all: ${requests}, ${totals.errors} failed, ${tokens}, ${costText(totals, 'cost unknown')}.`;
}
