import { sql } from 'kysely';
import type { Nanos } from '../../../shared/money.ts';
import type { Store } from '../../../store/store.ts';
import { mergePoints, totalsOf } from './merge-trends.ts';
import { groupName } from './group-name.ts';
import { usageParts } from './select-usage.ts';
import type { GroupedTrend, TrendGrouping, TrendPoint, TrendRange, TrendScope } from './trends-api.ts';

interface Row {
  readonly start: number;
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly total: number;
  readonly sum_nano: Nanos;
}

/** Reads usage over time: from the sums, and from the rows that are not in them yet. */
export async function readSpending(
  { db, kind }: Pick<Store, 'db' | 'kind'>,
  range: TrendRange,
  scope: TrendScope | undefined,
  by: TrendGrouping,
): Promise<GroupedTrend> {
  const { sumsWhere, tailColumns, tailWhere } = usageParts(kind, range, scope, by);
  // One statement sees one state of the database, so that no row is counted twice while sums are written.
  const { rows } = await sql<Row>`
    select start, name,
      cast(sum(requests) as bigint) as requests, cast(sum(errors) as bigint) as errors,
      cast(sum(prompt) as bigint) as prompt, cast(sum(completion) as bigint) as completion,
      cast(sum(cached) as bigint) as cached, cast(sum(total) as bigint) as total,
      cast(sum(nano) as bigint) as sum_nano
    from (
      select start, name, requests, errors, prompt_tokens as prompt, completion_tokens as completion,
        cached_tokens as cached, total_tokens as total, cost_nano as nano
      from gateway_usage_sums where ${sumsWhere}
      union all
      select ${tailColumns}, 1, case when status = 'error' then 1 else 0 end, coalesce(prompt_tokens, 0),
        coalesce(completion_tokens, 0), coalesce(cached_tokens, 0), coalesce(total_tokens, 0), coalesce(cost_nano, 0)
      from gateway_usage where ${tailWhere}
    ) as parts
    group by start, name order by start, name`.execute(db);
  const points = rows.map(({ name, ...row }) => ({ name: groupName(name, by), point: pointOf(row) }));
  const byName = Map.groupBy(points, ({ name }) => name);
  return {
    totals: totalsOf(points.map(({ point }) => point)),
    points: mergePoints(points.map(({ point }) => point)),
    groups: [...byName].map(groupOf).toSorted(byCost),
  };
}

const pointOf = (row: Omit<Row, 'name'>): TrendPoint => ({
  start: row.start,
  requests: row.requests,
  errors: row.errors,
  promptTokens: row.prompt,
  completionTokens: row.completion,
  cachedTokens: row.cached,
  totalTokens: row.total,
  cost: row.sum_nano,
});

type Named = readonly [name: string, members: readonly { readonly point: TrendPoint }[]];

const groupOf = ([name, members]: Named): GroupedTrend['groups'][number] => {
  const points = mergePoints(members.map(({ point }) => point));
  return { group: name === '' ? null : name, totals: totalsOf(points), points };
};

const byCost = (one: GroupedTrend['groups'][number], other: GroupedTrend['groups'][number]): number => {
  const difference = other.totals.cost - one.totals.cost;
  return difference === 0n ? other.totals.requests - one.totals.requests : difference > 0n ? 1 : -1;
};
