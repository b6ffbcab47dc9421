import type { Nanos } from '../../shared/money.ts';
import type { Page } from '../../store/page.ts';
import type { UsageRow } from '../../store/schema.ts';

/** Which requests; all that are named must fit. */
export interface UsageFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly requestId?: string | undefined;
  /** Milliseconds since 1970, this one included. */
  readonly from?: number | undefined;
  /** This one not included. */
  readonly to?: number | undefined;
}

export type UsageGrouping = 'user' | 'key' | 'model' | 'provider' | 'endpoint' | 'status';
export type UsageInterval = 'minute' | 'hour' | 'day';

export interface UsageTotals {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly totalTokens: number;
  readonly cost: Nanos;
  /** Answers of models without a price, whose cost is not in the sum. */
  readonly unpriced: number;
}

interface UsageGroup extends UsageTotals {
  /** One value for each grouping asked for, in that order. */
  readonly group: readonly (string | null)[];
}

interface UsagePoint extends UsageTotals {
  /** When the interval begins, in UTC. */
  readonly start: number;
}

export interface UsageReports {
  /** Newest first. */
  list(filter: UsageFilter, page: Page): Promise<readonly UsageRow[]>;
  totals(filter: UsageFilter): Promise<UsageTotals>;
  /** The most expensive first. */
  groups(filter: UsageFilter, by: readonly UsageGrouping[], page: Page): Promise<readonly UsageGroup[]>;
  /** Only intervals in which something was, the oldest first. */
  series(filter: UsageFilter, interval: UsageInterval, most?: number): Promise<readonly UsagePoint[]>;
  /** Lines of CSV, oldest first, the first one with the names; read bit by bit, however many there are. */
  csv(filter: UsageFilter): AsyncIterable<string>;
}
