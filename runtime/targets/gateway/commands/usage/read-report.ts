import type {
  UsageFilter,
  UsageGrouping,
  UsageReports,
  UsageTotals,
} from '../../accounts/ledger/usage-api.ts';
import type { UsageRow } from '../../store/schema.ts';
import type { UsageShape } from './usage-options.ts';

type Groups = Awaited<ReturnType<UsageReports['groups']>>;
type Points = Awaited<ReturnType<UsageReports['series']>>;

/** The requested part of the usage, and the totals of all matching requests. */
export type UsageReport = { readonly totals: UsageTotals } & (
  | { readonly kind: 'requests'; readonly rows: readonly UsageRow[] }
  | { readonly kind: 'groups'; readonly by: readonly UsageGrouping[]; readonly groups: Groups }
  | { readonly kind: 'series'; readonly points: Points }
);

export async function readReport(
  usage: UsageReports,
  filter: UsageFilter,
  shape: Exclude<UsageShape, { readonly kind: 'csv' }>,
  limit: number,
): Promise<UsageReport> {
  const totals = await usage.totals(filter);
  const page = { skip: 0, limit };
  if (shape.kind === 'requests') return { kind: 'requests', totals, rows: await usage.list(filter, page) };
  if (shape.kind === 'series') {
    return {
      kind: 'series',
      totals,
      points: await usage.series(filter, shape.interval, { timeZone: shape.timeZone }),
    };
  }
  const { by } = shape;
  return { kind: 'groups', totals, by, groups: await usage.groups(filter, by, page) };
}
