import { type RawBuilder, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { isStorable } from '../../../store/storable-text.ts';
import type { Store } from '../../../store/store.ts';
import { QUARTER_MS } from '../usage-zones.ts';
import { DAY_SUMS, HOUR_SUMS, SCOPE_COLUMNS, scopeName, sumKind } from './sum-scopes.ts';
import { type TrendGrouping, type TrendRange, type TrendScope, UTC } from './trends-api.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Maximum range of data without aggregates, which is read from usage rows: 48 hours plus a partial one.
 */
const MAX_UNSUMMED_MS = 49 * HOUR_MS;

/** Both parts of a query: the aggregates, and the usage rows not included in them yet. */
export interface UsageParts {
  /** Whether the aggregates are those of days, of which the quarters are needed. */
  readonly isQuarterly: boolean;
  readonly sumsWhere: RawBuilder<boolean>;
  /** Start of the interval, or of the quarter, and group name of a usage row. */
  readonly tailColumns: RawBuilder<unknown>;
  readonly tailWhere: RawBuilder<boolean>;
}

/** `canSplit`: whether the query can use quarters, which contain no distributions. */
export function usageParts(
  kind: Store['kind'],
  range: TrendRange,
  scope: TrendScope | undefined,
  { by, canSplit }: { readonly by: TrendGrouping; readonly canSplit: boolean },
): UsageParts {
  const { from, to } = range;
  const { sums, isQuarterly, lengthMs } = sourceOf(range, scope, by, canSplit);
  const length = sql.lit(lengthMs);
  const group = sumKind(by);
  const column = sql.ref(group === 'model' ? 'model' : SCOPE_COLUMNS[group]);
  const counted = sql`(select counted_until from gateway_usage_counted)`;
  const isOwn =
    scope && isStorable(scope.id) ? [sql`${sql.ref(SCOPE_COLUMNS[scope.kind])} = ${scope.id}`] : [];
  const isNothing = scope && !isStorable(scope.id) ? [sql`1 = 0`] : [];
  return {
    isQuarterly,
    sumsWhere: allOf([
      sql`hours = ${sums}`,
      sql`kind = ${group}`,
      sql`scope = ${isNothing.length > 0 ? '' : scopeName(scope)}`,
      sql`start >= ${isQuarterly ? Math.floor(from / DAY_MS) * DAY_MS : from}`,
      sql`start < ${to}`,
      ...isNothing,
    ]),
    // Integer division truncates in both databases.
    tailColumns: sql`timestamp / ${length} * ${length} as start, coalesce(${column}, '') as name`,
    tailWhere: allOf([
      // A single condition, so that the index scan starts there and not at the start of the range.
      sums > 0
        ? sql`timestamp >= ${LARGER[kind]}(cast(${from} as bigint), ${counted})`
        : sql`timestamp >= ${from}`,
      sql`timestamp < ${to}`,
      ...isOwn,
      ...isNothing,
    ]),
  };
}

/** What a usage row adds to each of the counts. */
export const ROW_COUNTS = sql`1 as requests, case when status in ('error', 'interrupted') then 1 else 0 end as errors,
  coalesce(prompt_tokens, 0) as prompt_tokens, coalesce(completion_tokens, 0) as completion_tokens,
  coalesce(cached_tokens, 0) as cached_tokens, coalesce(cache_write_tokens, 0) as cache_write_tokens,
  coalesce(total_tokens, 0) as total_tokens, coalesce(cost_nano, 0) as cost_nano,
  coalesce(cache_saved_nano, 0) as cache_saved_nano`;

interface Source {
  /** Length of the aggregates in hours; 0 for usage rows only. */
  readonly sums: 0 | 1 | 24;
  readonly isQuarterly: boolean;
  /** Length of the intervals to which usage rows are added up. */
  readonly lengthMs: number;
}

/** Where usage is read from. Throws an InputError if it would be too many usage rows. */
function sourceOf(
  { from, to, interval, timeZone }: TrendRange,
  scope: TrendScope | undefined,
  by: TrendGrouping,
  canSplit: boolean,
): Source {
  const hasDays = isOneOf(DAY_SUMS[scope?.kind ?? 'all'], sumKind(by));
  const isShort = to - from <= MAX_UNSUMMED_MS;
  if (timeZone === UTC && interval === 'day') {
    if (!hasDays) throw noSums(scope, by);
    return { sums: 24, isQuarterly: false, lengthMs: DAY_MS };
  }
  if (timeZone === UTC && interval === 'hour') {
    if (scope === undefined && isOneOf(HOUR_SUMS.all, sumKind(by)))
      return { sums: 1, isQuarterly: false, lengthMs: HOUR_MS };
    if (isShort) return { sums: 0, isQuarterly: false, lengthMs: HOUR_MS };
    if (!canSplit) throw tooLong();
  }
  if (hasDays) return { sums: 24, isQuarterly: true, lengthMs: QUARTER_MS };
  if (isShort && interval === 'hour') return { sums: 0, isQuarterly: true, lengthMs: QUARTER_MS };
  throw interval === 'hour' ? tooLong() : noSums(scope, by);
}

const LARGER: Readonly<Record<Store['kind'], RawBuilder<unknown>>> = {
  sqlite: sql.raw('max'),
  postgres: sql.raw('greatest'),
};

const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(conditions, sql` and `)}`;

const isOneOf = (words: readonly string[], word: string): boolean => words.includes(word);

function noSums(scope: TrendScope | undefined, by: TrendGrouping): AppError {
  const groups = ['provider', ...DAY_SUMS[scope?.kind ?? 'all']].join(', ');
  return problem(
    'group_by',
    `Usage of a single ${scope?.kind} cannot be grouped by ${by}. Use one of ${groups}.`,
  );
}

const tooLong = (): AppError =>
  problem(
    'interval',
    'The time range exceeds 48 hours, the maximum for this query with interval=hour. Use interval=day, or a shorter range.',
  );

const problem = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
