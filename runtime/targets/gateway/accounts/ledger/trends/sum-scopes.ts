import type { UsageRow } from '../../../store/schema.ts';
import type { TrendGrouping, TrendScope } from './trends-api.ts';

/** Columns of usage rows. */
export const SCOPE_COLUMNS = {
  user: 'user_id',
  key: 'api_key_id',
  team: 'team_id',
  organization: 'organization_id',
} as const satisfies Readonly<Record<TrendScope['kind'], keyof UsageRow>>;

/** A kind of aggregate; providers are part of model names. */
export type SumKind = Exclude<TrendGrouping, 'provider'>;

/** The groups that have daily aggregates, by the scope of the usage. */
export const DAY_SUMS = {
  all: ['model', 'user', 'key', 'team', 'organization'],
  user: ['model', 'key'],
  key: ['model'],
  team: ['model', 'user', 'key'],
  organization: ['model', 'team'],
} as const satisfies Readonly<Record<'all' | TrendScope['kind'], readonly SumKind[]>>;

/**
 * The groups that have hourly aggregates. There is no scope, because most such aggregates would cover a
 * single request.
 */
export const HOUR_SUMS = { all: ['model'] } as const;

export const scopeName = (scope: TrendScope | undefined): string =>
  scope === undefined ? '' : `${scope.kind}:${scope.id}`;

export const sumKind = (by: TrendGrouping): SumKind => (by === 'provider' ? 'model' : by);
