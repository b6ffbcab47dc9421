import type { Nanos } from '../../shared/money.ts';
import type { UsageStatus } from '../../shared/record-words.ts';
import type { ListPage } from '../../store/page.ts';
import type { UsageRow } from '../../store/schema.ts';

/** Request filters. All specified conditions must match. */
export interface UsageFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly status?: UsageStatus | undefined;
  readonly requestId?: string | undefined;
  readonly endUser?: string | undefined;
  readonly tag?: string | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

export const USAGE_GROUPINGS = [
  'user',
  'key',
  'team',
  'organization',
  'model',
  'provider',
  'endpoint',
  'status',
  'end_user',
  'cache_hit',
  'provider_key',
  'tag',
] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export const USAGE_INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type UsageInterval = (typeof USAGE_INTERVALS)[number];

export interface UsageTotals {
  readonly requests: number;
  readonly errors: number;
  /** Requests whose client disconnected; they do not count as errors. */
  readonly cancelled: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly totalTokens: number;
  readonly cost: Nanos;
  /** What the providers' caches saved; negative if writing cost more than reading saved. */
  readonly cacheSaved: Nanos;
  /** Number of responses from models without a price, whose cost is not included. */
  readonly unpriced: number;
}

interface UsageGroup extends UsageTotals {
  /** One value per requested grouping, in the same order. */
  readonly group: readonly (string | null)[];
}

export interface UsagePoint extends UsageTotals {
  /** Start of the interval, in milliseconds since 1970. */
  readonly start: number;
}

interface SeriesOptions {
  /** Maximum number of intervals. */
  readonly limit?: number | undefined;
  /** Time zone that determines when hours, days, weeks and months start. Default: UTC. */
  readonly timeZone?: string | undefined;
}

export interface UsageReports {
  /** Usage rows, newest first. */
  list(filter: UsageFilter, page: ListPage): Promise<readonly UsageRow[]>;
  totals(filter: UsageFilter): Promise<UsageTotals>;
  /** Totals by group, most expensive first. */
  groups(filter: UsageFilter, by: readonly UsageGrouping[], page: ListPage): Promise<readonly UsageGroup[]>;
  /** Totals by interval, oldest first, without empty intervals. */
  series(
    filter: UsageFilter,
    interval: UsageInterval,
    options?: SeriesOptions,
  ): Promise<readonly UsagePoint[]>;
  /**
   * CSV lines, oldest first, after a header line. They are read in chunks, so their number is not limited by
   * memory.
   */
  csv(filter: UsageFilter): AsyncIterable<string>;
}
