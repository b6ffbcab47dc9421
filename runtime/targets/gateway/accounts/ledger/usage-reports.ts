import { type Kysely, type RawBuilder, sql } from 'kysely';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import type { Store } from '../../store/store.ts';
import { isTag } from '../../shared/tag.ts';
import { rowsInParts } from '../../store/rows-in-parts.ts';
import { type Schema, type UsageRow, TABLES } from '../../store/schema.ts';
import type { UsageFilter, UsageGrouping, UsageInterval, UsageReports, UsageTotals } from './usage-api.ts';
import { inZone, QUARTER_MS } from './usage-zones.ts';
import { memberOf } from '#core/values/member-of.ts';
import { csvLine } from '../../shared/csv-line.ts';
import { dollarText } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { tagsIn } from './tags-in.ts';
import { keysOf } from '#core/values/keys.ts';

/** Columns to group by. A request with several tags is in the group of each tag. */
const GROUPINGS: Readonly<Record<UsageGrouping, string>> = {
  user: 'user_id',
  key: 'api_key_id',
  team: 'team_id',
  organization: 'organization_id',
  model: 'model',
  provider: 'provider',
  endpoint: 'endpoint',
  status: 'status',
  end_user: 'end_user',
  cache_hit: 'cache_hit',
  provider_key: 'provider_key',
  tag: 'tag.value',
};
const INTERVALS_MS: Readonly<Record<'minute' | 'hour' | 'day', number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

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
      const columns = by.map((grouping) => sql.ref<string | null>(GROUPINGS[grouping]));
      const named = columns.map((column, index) => column.as(`group_${index}`));
      const rows = await select(db, filter)
        .$if(by.includes('tag'), (query) => query.leftJoin(TAGS[kind].as('tag'), (join) => join.onTrue()))
        .select(named)
        .select(SUMS)
        .groupBy(columns)
        .orderBy('sum_nano', 'desc')
        // Groups with equal cost need a defined order.
        .$call((query) => columns.reduce((sorted, column) => sorted.orderBy(column), query))
        .limit(limit)
        .offset(skip)
        .execute();
      return rows.map((row) => ({
        group: named.map((_, index) => textOrNull(memberOf(row, `group_${index}`))),
        ...totalsOf(row),
      }));
    },
    series: async (filter, interval, { limit, timeZone } = {}) => {
      const zone = timeZone ?? (interval === 'week' ? 'UTC' : undefined);
      const isLocal = zone !== undefined && interval !== 'minute';
      const start = isLocal || interval === 'week' ? startOfLength(QUARTER_MS) : startOf(interval, kind);
      const rows = await select(db, filter)
        .select(start.as('start'))
        .select(SUMS)
        .groupBy(start)
        .orderBy(start)
        .$if(limit !== undefined && !isLocal, (query) => query.limit(limit ?? 0))
        .execute();
      const points = rows.map((row) => ({ start: row.start, ...totalsOf(row) }));
      return isLocal ? inZone(points, interval, zone).slice(0, limit) : points;
    },
    csv: (filter) => csvOf(db, filter),
  };
}

/** The start of a row's interval, in UTC. */
function startOf(interval: Exclude<UsageInterval, 'week'>, kind: Store['kind']): RawBuilder<number> {
  if (interval === 'month') return MONTH_STARTS[kind];
  return startOfLength(INTERVALS_MS[interval]);
}

/** Integer division truncates in both databases. */
const startOfLength = (length: number): RawBuilder<number> =>
  sql<number>`timestamp / ${sql.lit(length)} * ${sql.lit(length)}`;

/** One row per request tag, with the column `value`. */
const TAGS: Readonly<Record<Store['kind'], RawBuilder<{ readonly value: string }>>> = {
  sqlite: sql`json_each(gateway_usage.tags)`,
  postgres: sql`json_array_elements_text(gateway_usage.tags::json)`,
};

const MONTH_STARTS: Readonly<Record<Store['kind'], RawBuilder<number>>> = {
  sqlite: sql<number>`unixepoch(timestamp / 1000, 'unixepoch', 'start of month') * 1000`,
  postgres: sql<number>`cast(extract(epoch from date_trunc('month', to_timestamp(timestamp / 1000) at time zone 'UTC')) * 1000 as bigint)`,
};

async function* csvOf(db: Kysely<Schema>, filter: UsageFilter): AsyncGenerator<string> {
  yield usageCsvHeader();
  const rows = rowsInParts<UsageRow>((last, limit) =>
    select(db, filter)
      .$if(last !== undefined, (query) =>
        query.where((row) =>
          row.or([
            row('timestamp', '>', last?.timestamp ?? 0),
            row.and([row('timestamp', '=', last?.timestamp ?? 0), row('id', '>', last?.id ?? '')]),
          ]),
        ),
      )
      .selectAll()
      .orderBy('timestamp')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  for await (const row of rows) yield usageCsvLine(row);
}

function select(db: Kysely<Schema>, filter: UsageFilter) {
  let query = db.selectFrom('gateway_usage').where(
    equalValues<UsageRow>({
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
    }),
  );
  if (filter.tag !== undefined) {
    // Tags contain no quotation marks, so one tag's text is never part of another's.
    const quoted = `%${JSON.stringify(filter.tag).replaceAll(/[_%!]/g, '!$&')}%`;
    query = query.where(
      isTag(filter.tag) ? sql<boolean>`tags like ${quoted} escape '!'` : sql<boolean>`1 = 0`,
    );
  }
  return query.where(inTimeRange('timestamp', filter));
}

const sumOf = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

const SUMS = [
  sql<number>`cast(count(*) as bigint)`.as('requests'),
  sql<number>`cast(coalesce(sum(case when status in ('error', 'interrupted') then 1 else 0 end), 0) as bigint)`.as(
    'errors',
  ),
  sql<number>`cast(coalesce(sum(case when status = 'cancelled' then 1 else 0 end), 0) as bigint)`.as(
    'cancelled',
  ),
  sumOf('prompt_tokens').as('prompt'),
  sumOf('completion_tokens').as('completion'),
  sumOf('cached_tokens').as('cached'),
  sumOf('cache_write_tokens').as('written'),
  sumOf('cache_write_1h_tokens').as('hour'),
  sumOf('total_tokens').as('total'),
  sql<bigint>`cast(coalesce(sum(cost_nano), 0) as bigint)`.as('sum_nano'),
  sql<bigint>`cast(coalesce(sum(cache_saved_nano), 0) as bigint)`.as('saved_nano'),
  // Failed attempts have neither tokens nor cost, so they do not count as unpriced.
  sql<number>`cast(coalesce(sum(case when cost_nano is null and total_tokens is not null then 1 else 0 end), 0) as bigint)`.as(
    'unpriced',
  ),
] as const;

interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly cancelled: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
  readonly hour: number;
  readonly total: number;
  readonly sum_nano: bigint;
  readonly saved_nano: bigint;
  readonly unpriced: number;
}

const totalsOf = (row: Sums): UsageTotals => ({
  requests: row.requests,
  errors: row.errors,
  cancelled: row.cancelled,
  promptTokens: row.prompt,
  completionTokens: row.completion,
  cachedTokens: row.cached,
  cacheWriteTokens: row.written,
  cacheWrite1hTokens: row.hour,
  totalTokens: row.total,
  cost: row.sum_nano,
  cacheSaved: row.saved_nano,
  unpriced: row.unpriced,
});

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Columns of the export. Users can read it, so what is for administrators only is omitted: details of provider
 * failures, and the keys of providers.
 */
const COLUMNS = keysOf(TABLES.gateway_usage.columns).filter(
  (name) => name !== 'error_detail' && name !== 'provider_key',
);

/** API names that differ from the database's. */
const NAMES: Readonly<Partial<Record<keyof UsageRow, string>>> = {
  cost_nano: 'cost',
  cache_saved_nano: 'cache_saved',
  estimated: 'usage_estimated',
};

const usageCsvHeader = (): string => csvLine(COLUMNS.map((column) => NAMES[column] ?? column));

/** A row as a CSV line, with amounts in dollars and RFC 3339 times, as in the API. */
const usageCsvLine = (row: UsageRow): string => csvLine(COLUMNS.map((column) => textOf(row, column)));

function textOf(row: UsageRow, column: keyof UsageRow): string {
  const value = row[column];
  if (value === null) return '';
  if (typeof value === 'bigint') return dollarText(value);
  if (column === 'timestamp') return rfc3339(row.timestamp);
  if (column === 'tags') return tagsIn(row).join(',');
  if (column === 'estimated') return value === 1 ? 'true' : 'false';
  return String(value);
}
