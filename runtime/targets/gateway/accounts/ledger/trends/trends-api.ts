import type { Nanos } from '../../../shared/money.ts';

export const TREND_GROUPINGS = ['user', 'key', 'team', 'organization', 'model', 'provider'] as const;
export type TrendGrouping = (typeof TREND_GROUPINGS)[number];
/** Sort keys for groups, largest first. */
export const SPENDING_ORDERS = ['cost', 'requests', 'errors', 'total_tokens'] as const;
export type SpendingOrder = (typeof SPENDING_ORDERS)[number];

export interface SpendingSelection {
  readonly by: TrendGrouping;
  readonly order: SpendingOrder;
  /** Number of groups with points, starting with the first one. */
  readonly series: number;
}

/** Whose usage a trend shows. */
export interface TrendScope {
  readonly kind: Exclude<TrendGrouping, 'model' | 'provider'>;
  readonly id: string;
}

/** Groups for latency. */
export const SPEED_GROUPINGS = ['model', 'provider'] as const;
type SpeedGrouping = (typeof SPEED_GROUPINGS)[number];

/** Intervals of spending, which is known for parts of days. */
export const SPENDING_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type SpendingInterval = (typeof SPENDING_INTERVALS)[number];
/** Intervals of latency, which are in UTC. */
export const SPEED_INTERVALS = ['hour', 'day'] as const;
export type SpeedInterval = (typeof SPEED_INTERVALS)[number];
export const UTC = 'UTC';

/** A time range of whole intervals. */
export interface TrendRange<Interval extends SpendingInterval = SpendingInterval> {
  readonly from: number;
  readonly to: number;
  readonly interval: Interval;
  /** Time zone in which intervals start. */
  readonly timeZone: string;
}

export interface TrendTotals {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
  readonly cost: Nanos;
  /** What the providers' caches saved. */
  readonly cacheSaved: Nanos;
}

/** Totals for one interval. */
export interface TrendPoint extends TrendTotals {
  readonly start: number;
}

export interface Trend {
  readonly totals: TrendTotals;
  /** Intervals with requests, oldest first. */
  readonly points: readonly TrendPoint[];
}

/** One group's usage, e.g. a user's; null for requests without one. */
interface TrendGroup extends Trend {
  readonly group: string | null;
}

export interface GroupedTrend extends Trend {
  readonly groups: readonly TrendGroup[];
}

/** Percentiles; null without values. */
export interface Percentiles {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface SpeedSummary {
  /** Number of successful model responses. */
  readonly answers: number;
  readonly latency: Percentiles;
  readonly firstOutput: Percentiles;
  /**
   * For output speed, the slowest responses are in the low percentiles: `p50`, and the speeds that 90, 95 and
   * 99 % of the responses reach.
   */
  readonly tokensPerSecond: Percentiles;
}

interface SpeedPoint extends SpeedSummary {
  readonly start: number;
}

export interface GroupedSpeeds {
  readonly all: SpeedSummary;
  readonly points: readonly SpeedPoint[];
  /** Groups with the most responses first. */
  readonly groups: readonly (SpeedSummary & { readonly group: string | null })[];
}

/**
 * Usage over time. It is read from aggregates, so that the time this takes does not depend on the number of
 * requests.
 */
export interface UsageTrends {
  /** Without a scope, the usage of everyone. Throws an InputError for a group or range without aggregates. */
  spending(
    range: TrendRange,
    scope: TrendScope | undefined,
    selection: SpendingSelection,
  ): Promise<GroupedTrend>;
  /** The range is in UTC. */
  speeds(
    range: TrendRange<SpeedInterval>,
    scope: TrendScope | undefined,
    by: SpeedGrouping,
  ): Promise<GroupedSpeeds>;
  /** Adds new usage to the aggregates until `signal` is aborted. */
  count(now: number, signal?: AbortSignal): Promise<void>;
}
