import type { UsageInterval, UsagePoint, UsageTotals } from './usage-api.ts';

/**
 * All time zones differ from UTC by multiples of this, so that each quarter of an hour is within a single
 * interval in every zone.
 */
export const QUARTER_MS = 900_000;

/** Adds up quarters of an hour, oldest first, to the intervals of a time zone. */
export function inZone(
  quarters: readonly UsagePoint[],
  interval: UsageInterval,
  timeZone: string,
): readonly UsagePoint[] {
  const points = new Map<number, UsagePoint>();
  for (const quarter of quarters) {
    const start = startIn(quarter.start, interval, timeZone);
    const before = points.get(start);
    points.set(start, { ...(before ? sumOf(before, quarter) : quarter), start });
  }
  return [...points.values()];
}

/** The start of the interval that a time belongs to in the zone. */
function startIn(time: number, interval: UsageInterval, timeZone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  if (interval === 'month') return local.with({ day: 1 }).startOfDay().epochMilliseconds;
  if (interval === 'day') return local.startOfDay().epochMilliseconds;
  return local.round({ smallestUnit: interval, roundingMode: 'floor' }).epochMilliseconds;
}

const sumOf = (one: UsageTotals, other: UsageTotals): UsageTotals => ({
  requests: one.requests + other.requests,
  errors: one.errors + other.errors,
  cancelled: one.cancelled + other.cancelled,
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  cacheWrite1hTokens: one.cacheWrite1hTokens + other.cacheWrite1hTokens,
  totalTokens: one.totalTokens + other.totalTokens,
  cost: one.cost + other.cost,
  cacheSaved: one.cacheSaved + other.cacheSaved,
  unpriced: one.unpriced + other.unpriced,
});
