import { type RawBuilder, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { isStorable } from '../../../store/storable-text.ts';
import type { Store } from '../../../store/store.ts';
import { DAY_SUMS, HOUR_SUMS, SCOPE_COLUMNS, scopeName, sumKind } from './sum-scopes.ts';
import { TREND_INTERVAL_HOURS, type TrendGrouping, type TrendRange, type TrendScope } from './trends-api.ts';

const HOUR_MS = 3_600_000;
/**
 * Maximum range by hour for data without hourly aggregates, which is read from usage rows: 48 hours plus a
 * partial one.
 */
const MAX_UNSUMMED_MS = 49 * HOUR_MS;

/** Both parts of a query: the aggregates, and the usage rows not included in them yet. */
export interface UsageParts {
  readonly sumsWhere: RawBuilder<boolean>;
  /** Start of the interval and group name of a usage row. */
  readonly tailColumns: RawBuilder<unknown>;
  readonly tailWhere: RawBuilder<boolean>;
}

export function usageParts(
  kind: Store['kind'],
  { from, to, interval }: TrendRange,
  scope: TrendScope | undefined,
  by: TrendGrouping,
): UsageParts {
  const hours = TREND_INTERVAL_HOURS[interval];
  const length = sql.lit(hours * HOUR_MS);
  const group = sumKind(by);
  const isSummed = hasSums(interval, scope, by);
  if (!isSummed && interval === 'day') throw noSums(scope, by);
  if (!isSummed && to - from > MAX_UNSUMMED_MS) throw tooLong();
  const column = sql.ref(group === 'model' ? 'model' : SCOPE_COLUMNS[group]);
  const counted = sql`(select counted_until from gateway_usage_counted)`;
  const isOwn =
    scope && isStorable(scope.id) ? [sql`${sql.ref(SCOPE_COLUMNS[scope.kind])} = ${scope.id}`] : [];
  const isNothing = scope && !isStorable(scope.id) ? [sql`1 = 0`] : [];
  return {
    sumsWhere: allOf([
      sql`hours = ${isSummed ? hours : 0}`,
      sql`kind = ${group}`,
      sql`scope = ${isNothing.length > 0 ? '' : scopeName(scope)}`,
      sql`start >= ${from}`,
      sql`start < ${to}`,
      ...isNothing,
    ]),
    // Integer division truncates in both databases.
    tailColumns: sql`timestamp / ${length} * ${length} as start, coalesce(${column}, '') as name`,
    tailWhere: allOf([
      // A single condition, so that the index scan starts there and not at the start of the range.
      isSummed
        ? sql`timestamp >= ${LARGER[kind]}(cast(${from} as bigint), ${counted})`
        : sql`timestamp >= ${from}`,
      sql`timestamp < ${to}`,
      ...isOwn,
      ...isNothing,
    ]),
  };
}

const LARGER: Readonly<Record<Store['kind'], RawBuilder<unknown>>> = {
  sqlite: sql.raw('max'),
  postgres: sql.raw('greatest'),
};

const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(conditions, sql` and `)}`;

function hasSums(
  interval: TrendRange['interval'],
  scope: TrendScope | undefined,
  by: TrendGrouping,
): boolean {
  if (interval === 'hour') return scope === undefined && isOneOf(HOUR_SUMS.all, sumKind(by));
  return isOneOf(DAY_SUMS[scope?.kind ?? 'all'], sumKind(by));
}

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
