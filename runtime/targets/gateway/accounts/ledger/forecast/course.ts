import { dollarsOf, type Nanos } from '../../../shared/money.ts';
import type { TrendPoint, TrendRange } from '../trends/trends-api.ts';
import {
  type CoursePoint,
  DAY_MS,
  type Forecast,
  forecastCourse,
  type ForecastInput,
  HOUR_MS,
  stepsBetween,
} from './forecast.ts';

/** Spending in a window until a time, in dollars. */
interface SpentPoint {
  readonly at: number;
  readonly spent: number;
}

/** The course of a window's spending, for a chart. */
export interface WindowCourse {
  /** Spending so far, oldest first; the last point is the current time. */
  readonly past: readonly SpentPoint[];
  /** Expected spending from the current time on; empty with too few days. */
  readonly future: readonly CoursePoint[];
}

interface Window {
  readonly startedAt: number | null;
  readonly spent: Nanos;
  readonly forecast: Forecast | undefined;
}

/** What a chart shows of a budget without resets, before and after the current time. */
const ENDLESS_MS = 30 * DAY_MS;
/** A window that is longer than this, such as one of a year, is not shown completely. */
const MAX_PAST_MS = 366 * DAY_MS;

/** `read` returns the usage that counts toward the window. */
export async function courseOf(
  { startedAt, spent, forecast }: Window,
  input: ForecastInput,
  read: (range: Pick<TrendRange, 'from' | 'to' | 'interval'>) => Promise<readonly TrendPoint[]>,
): Promise<WindowCourse> {
  const { now, end } = input;
  const earliest = now - (end === undefined ? ENDLESS_MS : MAX_PAST_MS);
  const start = Math.max(startedAt ?? 0, earliest);
  const steps = stepsBetween(start, now);
  const [one, two = one] = steps;
  const interval = one !== undefined && two !== undefined && two - one > HOUR_MS ? 'day' : 'hour';
  const length = interval === 'day' ? DAY_MS : HOUR_MS;
  const to = Math.ceil((now + 1) / length) * length;
  const points = await read({ from: Math.floor(start / length) * length, to, interval });
  const until = end ?? Math.max(forecast?.exhaustedAt ?? 0, now + ENDLESS_MS);
  return {
    past: pastOf([start, ...steps, now], points, dollarsOf(spent), start === startedAt && end !== undefined),
    future: forecastCourse(input, until),
  };
}

/**
 * Spending at each time: the current spending without the usage after that time. The window's account is
 * exact, and usage can be missing in it, for example if an administrator has reset the spending.
 */
function pastOf(
  times: readonly number[],
  points: readonly TrendPoint[],
  spent: number,
  startsAtZero: boolean,
): SpentPoint[] {
  const usedAfter = (time: number): number =>
    points.reduce((sum, { start, cost }) => (start >= time ? sum + dollarsOf(cost) : sum), 0);
  return times.map((at, index) => ({
    at,
    spent:
      index === times.length - 1
        ? spent
        : index === 0 && startsAtZero
          ? 0
          : Math.max(0, spent - usedAfter(at)),
  }));
}
