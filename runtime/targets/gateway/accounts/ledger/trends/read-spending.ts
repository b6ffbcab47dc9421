import { type RawBuilder, sql } from 'kysely';
import type { Nanos } from '../../../shared/money.ts';
import type { Store } from '../../../store/store.ts';
import { readQuarters } from './read-quarters.ts';
import { ROW_COUNTS, usageParts } from './select-usage.ts';
import { sumPoints } from './sum-points.ts';
import type {
  GroupedTrend,
  SpendingOrder,
  SpendingSelection,
  TrendPoint,
  TrendRange,
  TrendScope,
  TrendTotals,
} from './trends-api.ts';

interface Row {
  /** Whether the row is an interval over all groups, a group, or an interval of one of the top groups. */
  readonly level: 'interval' | 'group' | 'series';
  readonly start: number;
  readonly name: string;
  readonly place: number;
  readonly requests: number;
  readonly errors: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
  readonly total: number;
  readonly sum_nano: Nanos;
  readonly saved_nano: Nanos;
}

/** Doubles are faster to read than bigints, and exact for counts. */
const SUMS = sql`${sql.join(
  ['requests', 'errors', 'prompt', 'completion', 'cached', 'written', 'total'].map(
    (column) => sql`cast(sum(${sql.ref(column)}) as double precision) as ${sql.ref(column)}`,
  ),
)}, cast(sum(nano) as bigint) as sum_nano, cast(sum(saved) as bigint) as saved_nano`;

/** Groups with equal values are ordered by cost. */
const ORDERS: Readonly<Record<SpendingOrder, RawBuilder<unknown>>> = {
  cost: sql`sum(nano) desc, sum(requests) desc, name`,
  requests: sql`sum(requests) desc, sum(nano) desc, name`,
  errors: sql`sum(errors) desc, sum(nano) desc, name`,
  total_tokens: sql`sum(total) desc, sum(nano) desc, name`,
};

/**
 * Reads usage over time: from the aggregates, and from rows not included in them yet. The database computes
 * the sums, because reading a row takes longer than summing it. A single statement sees a consistent state of
 * the database, so that no row is counted twice while aggregates are written.
 */
export async function readSpending(
  { db, kind }: Pick<Store, 'db' | 'kind'>,
  range: TrendRange,
  scope: TrendScope | undefined,
  selection: SpendingSelection,
): Promise<GroupedTrend> {
  const { by, order, series } = selection;
  const parts = usageParts(kind, range, scope, { by, canSplit: true });
  if (parts.isQuarterly) return await readQuarters(db, parts, range, selection);
  const { sumsWhere, tailColumns, tailWhere } = parts;
  const { rows } = await sql<Row>`
    with parts as materialized (
      select start, ${by === 'provider' ? PROVIDER[kind] : sql`name`} as name, requests, errors, prompt, completion, cached, written, total, nano, saved
      from (
        select start, name, requests, errors, prompt_tokens as prompt, completion_tokens as completion,
          cached_tokens as cached, cache_write_tokens as written, total_tokens as total, cost_nano as nano,
          cache_saved_nano as saved
        from gateway_usage_sums where ${sumsWhere}
        union all
        select ${tailColumns}, ${ROW_COUNTS}
        from gateway_usage where ${tailWhere}
      ) as both_parts
    ), named as materialized (
      select name, row_number() over (order by ${ORDERS[order]}) as place, ${SUMS} from parts group by name
    )
    select 'interval' as level, start, '' as name, 0 as place, ${SUMS} from parts group by start
    union all
    select 'group', 0, name, place, requests, errors, prompt, completion, cached, written, total, sum_nano, saved_nano from named
    union all
    select 'series', start, name, 0, ${SUMS} from parts
    where name in (select name from named where place <= ${series}) group by start, name
    order by start, place`.execute(db);
  const { interval = [], group = [], series: points = [] } = Object.groupBy(rows, ({ level }) => level);
  const byName = Map.groupBy(points, ({ name }) => name);
  return {
    ...sumPoints(interval.map(pointOf)),
    groups: group.map((row) => ({
      group: row.name === '' ? null : row.name,
      totals: totalsOf(row),
      points: (byName.get(row.name) ?? []).map(pointOf),
    })),
  };
}

/** The part of a model name before the colon. */
const PROVIDER: Readonly<Record<Store['kind'], RawBuilder<unknown>>> = {
  sqlite: sql`substr(name, 1, max(instr(name, ':') - 1, 0))`,
  postgres: sql`substr(name, 1, greatest(strpos(name, ':') - 1, 0))`,
};

const totalsOf = (row: Row): TrendTotals => ({
  requests: row.requests,
  errors: row.errors,
  promptTokens: row.prompt,
  completionTokens: row.completion,
  cachedTokens: row.cached,
  cacheWriteTokens: row.written,
  totalTokens: row.total,
  cost: row.sum_nano,
  cacheSaved: row.saved_nano,
});

const pointOf = (row: Row): TrendPoint => ({ start: row.start, ...totalsOf(row) });
