import { printJson, printLines } from '#serve/cli/print.ts';
import { usageGroupView, usageLogView, usagePointView, usageTotalsView } from '../../api/views/records.ts';
import { formatTime } from '../show/format-values.ts';
import type { StoreContext } from '../store/store-command.ts';
import type { UsageReport } from './read-report.ts';
import { requestLines } from './request-lines.ts';
import { totalLines, totalSentence } from './total-lines.ts';

export function showReport(
  report: UsageReport,
  { output, json }: Pick<StoreContext, 'output' | 'json'>,
): void {
  if (json) printJson(output, reportView(report));
  else printLines(output, reportLines(report));
}

/** Returns a report as JSON, in the format of the HTTP API. */
function reportView(report: UsageReport): Record<string, unknown> {
  const totals = usageTotalsView(report.totals);
  if (report.kind === 'requests') return { totals, logs: report.rows.map((row) => usageLogView(row, true)) };
  if (report.kind === 'series') return { totals, series: report.points.map(usagePointView) };
  return { totals, groups: report.groups.map((group) => usageGroupView(report.by, group)) };
}

/** Formats a report as lines of text. */
function reportLines(report: UsageReport): string[] {
  const { totals } = report;
  if (report.kind === 'requests') return [...requestLines(report.rows), totalSentence(totals)];
  if (report.kind === 'series') {
    const rows = report.points.map(({ start, ...sums }) => ({ labels: [formatTime(start)], totals: sums }));
    return totalLines(['FROM'], rows, totals);
  }
  const rows = report.groups.map(({ group, ...sums }) => ({
    labels: group.map((label) => label ?? '-'),
    totals: sums,
  }));
  const heads = report.by.map((word) => word.toUpperCase());
  return totalLines(heads, rows, totals);
}
