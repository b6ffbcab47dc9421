import type { Nanos } from '../../../shared/money.ts';

export const TREND_GROUPINGS = ['user', 'key', 'team', 'organization', 'model', 'provider'] as const;
export type TrendGrouping = (typeof TREND_GROUPINGS)[number];
/** What groups can be ordered by; the largest come first. */
export const SPENDING_ORDERS = ['cost', 'requests', 'errors', 'total_tokens'] as const;
export type SpendingOrder = (typeof SPENDING_ORDERS)[number];

export interface SpendingSelection {
  readonly by: TrendGrouping;
  readonly order: SpendingOrder;
  /** Number of groups with points, from the first one. */
  readonly series: number;
}

/** Whose usage a trend shows. */
export interface TrendScope {
  readonly kind: Exclude<TrendGrouping, 'model' | 'provider'>;
  readonly id: string;
}

/** Groups of the latency. */
export const SPEED_GROUPINGS = ['model', 'provider'] as const;
type SpeedGrouping = (typeof SPEED_GROUPINGS)[number];

export const TREND_INTERVALS = ['hour', 'day'] as const;
export type TrendInterval = (typeof TREND_INTERVALS)[number];
export const TREND_INTERVAL_HOURS: Readonly<Record<TrendInterval, number>> = { hour: 1, day: 24 };

/** A time range of whole intervals. */
export interface TrendRange {
  readonly from: number;
  readonly to: number;
  readonly interval: TrendInterval;
}

export interface TrendTotals {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly totalTokens: number;
  readonly cost: Nanos;
}

/** Totals of one interval. */
export interface TrendPoint extends TrendTotals {
  readonly start: number;
}

export interface Trend {
  readonly totals: TrendTotals;
  /** Intervals with requests, oldest first. */
  readonly points: readonly TrendPoint[];
}

/** The usage of one group, e.g. of a user; null for requests without one. */
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
  /** Number of successful answers of models. */
  readonly answers: number;
  readonly latency: Percentiles;
  readonly firstOutput: Percentiles;
  /** The slowest answers are those of the low percentiles: `p50`, and what 90, 95 and 99 % of the answers reach. */
  readonly tokensPerSecond: Percentiles;
}

interface SpeedPoint extends SpeedSummary {
  readonly start: number;
}

export interface GroupedSpeeds {
  readonly all: SpeedSummary;
  readonly points: readonly SpeedPoint[];
  /** Groups with the most answers first. */
  readonly groups: readonly (SpeedSummary & { readonly group: string | null })[];
}

/** Usage over time, which is read from sums, so that its duration does not depend on the number of requests. */
export interface UsageTrends {
  /** Without a scope, the usage of all. Throws an InputError for a group or a range without sums. */
  spending(
    range: TrendRange,
    scope: TrendScope | undefined,
    selection: SpendingSelection,
  ): Promise<GroupedTrend>;
  speeds(range: TrendRange, scope: TrendScope | undefined, by: SpeedGrouping): Promise<GroupedSpeeds>;
  /** Adds what is new to the sums, until `signal` is aborted. */
  count(now: number, signal?: AbortSignal): Promise<void>;
}
