import { isTimeZone, startOf, TIME_ZONE_PROBLEM, type TimeUnit } from '#core/time/calendar.ts';
import type { UsagePoint, UsageTotals } from './usage-api.ts';

/**
 * All time zones differ from UTC by multiples of this, so that each quarter of an hour is within a single
 * interval in every zone.
 */
export const QUARTER_MS = 900_000;

/** Adds up quarters of an hour, oldest first, to the intervals of a time zone. */
export function inZone(
  quarters: readonly UsagePoint[],
  interval: TimeUnit,
  timeZone: string,
): readonly UsagePoint[] {
  const points = new Map<number, UsagePoint>();
  for (const quarter of quarters) {
    const start = startOf(interval, timeZone, quarter.start);
    const before = points.get(start);
    points.set(start, { ...(before ? sumOf(before, quarter) : quarter), start });
  }
  return [...points.values()];
}

/** Why usage cannot be grouped in a time zone, and how to solve it; undefined if it can. */
export function usageZoneProblem(name: string): string | undefined {
  const quoted = JSON.stringify(name.slice(0, 64));
  if (!isTimeZone(name)) return `${quoted} ${TIME_ZONE_PROBLEM}`;
  const { offsetNanoseconds } = Temporal.Now.zonedDateTimeISO(name);
  if (offsetNanoseconds % (QUARTER_MS * 1e6) === 0) return undefined;
  return `The offset of ${quoted} is not a multiple of 15 minutes. Use a name such as Europe/Berlin or UTC.`;
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
