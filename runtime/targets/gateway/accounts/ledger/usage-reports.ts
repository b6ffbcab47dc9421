import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Schema, UsageRow } from '../../store/schema.ts';
import type { UsageFilter, UsageGrouping, UsageInterval, UsageReports, UsageTotals } from './usage-api.ts';
import { usageCsvHeader, usageCsvLine } from './usage-csv.ts';
import { memberOf } from '../../../../core/values/member-of.ts';
import { entriesOf } from '../../../../core/values/keys.ts';

const GROUPINGS: Readonly<Record<UsageGrouping, keyof UsageRow>> = {
  user: 'user_id',
  key: 'api_key_id',
  team: 'team_id',
  organization: 'organization_id',
  model: 'model',
  provider: 'provider',
  endpoint: 'endpoint',
  status: 'status',
  end_user: 'end_user',
};
const INTERVALS_MS: Readonly<Record<Exclude<UsageInterval, 'month'>, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};
const ROWS_PER_QUERY = 1000;

export function createUsageReports({ db, kind }: Pick<Store, 'db' | 'kind'>): UsageReports {
  return {
    list: async (filter, { skip, limit }) =>
      await select(db, filter)
        .selectAll()
        .orderBy('timestamp', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(skip)
        .execute(),
    totals: async (filter) => totalsOf(await select(db, filter).select(SUMS).executeTakeFirstOrThrow()),
    groups: async (filter, by, { skip, limit }) => {
      const columns = by.map((grouping) => GROUPINGS[grouping]);
      const rows = await select(db, filter)
        .select(columns)
        .select(SUMS)
        .groupBy(columns)
        .orderBy('sum_nano', 'desc')
        // Groups with equal cost need a defined order.
        .$call((query) => columns.reduce((sorted, column) => sorted.orderBy(column), query))
        .limit(limit)
        .offset(skip)
        .execute();
      return rows.map((row) => ({
        group: columns.map((column) => textOrNull(memberOf(row, column))),
        ...totalsOf(row),
      }));
    },
    series: async (filter, interval, limit) => {
      const start = startOf(interval, kind);
      const rows = await select(db, filter)
        .select(start.as('start'))
        .select(SUMS)
        .groupBy(start)
        .orderBy(start)
        .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
        .execute();
      return rows.map((row) => ({ start: row.start, ...totalsOf(row) }));
    },
    csv: (filter) => csvOf(db, filter),
  };
}

/** The start of the interval of a row, in UTC. */
function startOf(interval: UsageInterval, kind: Store['kind']): RawBuilder<number> {
  if (interval === 'month') return MONTH_STARTS[kind];
  const length = sql.lit(INTERVALS_MS[interval]);
  // Integer division truncates in both databases.
  return sql<number>`timestamp / ${length} * ${length}`;
}

const MONTH_STARTS: Readonly<Record<Store['kind'], RawBuilder<number>>> = {
  sqlite: sql<number>`unixepoch(timestamp / 1000, 'unixepoch', 'start of month') * 1000`,
  postgres: sql<number>`cast(extract(epoch from date_trunc('month', to_timestamp(timestamp / 1000) at time zone 'UTC')) * 1000 as bigint)`,
};

async function* csvOf(db: Kysely<Schema>, filter: UsageFilter): AsyncGenerator<string> {
  yield usageCsvHeader();
  for (let last: UsageRow | undefined; ;) {
    const from = last;
    const rest = select(db, filter).$if(from !== undefined, (query) =>
      query.where((row) =>
        row.or([
          row('timestamp', '>', from?.timestamp ?? 0),
          row.and([row('timestamp', '=', from?.timestamp ?? 0), row('id', '>', from?.id ?? '')]),
        ]),
      ),
    );
    const rows = await rest.selectAll().orderBy('timestamp').orderBy('id').limit(ROWS_PER_QUERY).execute();
    yield* rows.map(usageCsvLine);
    last = rows.at(-1);
    if (rows.length < ROWS_PER_QUERY) return;
  }
}

function select(db: Kysely<Schema>, filter: UsageFilter) {
  const equal = {
    user_id: filter.userId,
    api_key_id: filter.keyId,
    team_id: filter.teamId,
    organization_id: filter.organizationId,
    model: filter.model,
    provider: filter.provider,
    endpoint: filter.endpoint,
    status: filter.status,
    request_id: filter.requestId,
    end_user: filter.endUser,
  };
  let query = db.selectFrom('gateway_usage');
  for (const [column, value] of entriesOf(equal)) {
    if (value === undefined) continue;
    // A value that cannot be stored matches no row.
    query = isStorable(value) ? query.where(column, '=', value) : query.where(sql<boolean>`1 = 0`);
  }
  if (filter.from !== undefined) query = query.where('timestamp', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('timestamp', '<', filter.to);
  return query;
}

const sumOf = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

const SUMS = [
  sql<number>`cast(count(*) as bigint)`.as('requests'),
  sql<number>`cast(coalesce(sum(case when status = 'error' then 1 else 0 end), 0) as bigint)`.as('errors'),
  sumOf('prompt_tokens').as('prompt'),
  sumOf('completion_tokens').as('completion'),
  sumOf('cached_tokens').as('cached'),
  sumOf('cache_write_tokens').as('written'),
  sumOf('cache_write_1h_tokens').as('hour'),
  sumOf('total_tokens').as('total'),
  sql<bigint>`cast(coalesce(sum(cost_nano), 0) as bigint)`.as('sum_nano'),
  // Failed attempts have neither tokens nor cost, so they do not count as unpriced.
  sql<number>`cast(coalesce(sum(case when cost_nano is null and total_tokens is not null then 1 else 0 end), 0) as bigint)`.as(
    'unpriced',
  ),
] as const;

interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
  readonly hour: number;
  readonly total: number;
  readonly sum_nano: bigint;
  readonly unpriced: number;
}

const totalsOf = (row: Sums): UsageTotals => ({
  requests: row.requests,
  errors: row.errors,
  promptTokens: row.prompt,
  completionTokens: row.completion,
  cachedTokens: row.cached,
  cacheWriteTokens: row.written,
  cacheWrite1hTokens: row.hour,
  totalTokens: row.total,
  cost: row.sum_nano,
  unpriced: row.unpriced,
});

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
