import { moment } from '../show/texts.ts';
import type { UsageReport } from './read-report.ts';
import { requestLines } from './show-requests.ts';
import { sumLines, totalSentence } from './show-sums.ts';

/** For people. */
export function reportLines(report: UsageReport): string[] {
  const { totals } = report;
  if (report.kind === 'requests') return [...requestLines(report.rows), totalSentence(totals)];
  if (report.kind === 'series') {
    const rows = report.points.map(({ start, ...sums }) => ({ labels: [moment(start)], totals: sums }));
    return sumLines(['FROM'], rows, totals);
  }
  const rows = report.groups.map(({ group, ...sums }) => ({
    labels: group.map((label) => label ?? '-'),
    totals: sums,
  }));
  const heads = report.by.map((word) => word.toUpperCase());
  return sumLines(heads, rows, totals);
}
