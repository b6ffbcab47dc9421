import { usageGroupView, usageLogView, usagePointView, usageTotalsView } from '../../front/usage/view.ts';
import type { UsageReport } from './read-report.ts';

/** As the HTTP API answers. */
export function reportView(report: UsageReport): Record<string, unknown> {
  const totals = usageTotalsView(report.totals);
  if (report.kind === 'requests') return { totals, logs: report.rows.map((row) => usageLogView(row, true)) };
  if (report.kind === 'series') return { totals, series: report.points.map(usagePointView) };
  return { totals, groups: report.groups.map((group) => usageGroupView(report.by, group)) };
}
