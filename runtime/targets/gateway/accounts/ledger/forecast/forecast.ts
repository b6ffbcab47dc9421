// Forecasts of spending (docs/decisions/0213). Amounts are in dollars, times in milliseconds since 1970.

export interface ForecastInput {
  readonly now: number;
  /** Spending in the window so far. */
  readonly spent: number;
  readonly limit: number;
  /** End of the window; undefined for a budget without resets. */
  readonly end: number | undefined;
  /** Spending on each complete UTC day before today, oldest first, beginning with the first day with usage. */
  readonly days: readonly number[];
  /** The share of a day's spending in each UTC hour. */
  readonly hours: readonly number[];
}

export interface Forecast {
  /** Expected spending at the end of the window; undefined for a budget without resets. */
  readonly projected: Projection | undefined;
  /** When the budget is expected to be exhausted; undefined if that is later than the window or a year. */
  readonly exhaustedAt: number | undefined;
  /** The same with the higher spending of the interval. */
  readonly exhaustedEarliest: number | undefined;
  /** Whether the days of the week are expected to differ. */
  readonly isWeekly: boolean;
}

/** An expected amount, and the interval that contains the actual one in 80 % of all cases. */
interface Projection {
  readonly expected: number;
  readonly low: number;
  readonly high: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Fewer days say too little about the differences between days. */
const MIN_DAYS = 7;
/** More days would describe a past that is over. */
export const MAX_DAYS = 56;
/** Two of each day of the week. */
const MIN_WEEKLY_DAYS = 14;
/** Longest time that is searched for the end of a budget without resets. */
const MAX_SEARCH_MS = 365 * DAY_MS;

const WEEK = 7;

/**
 * Continues the spending of the last days: each remaining day costs what such days cost on average. The
 * interval contains both the differences between days, which are often alike on consecutive days, and the
 * uncertainty of the averages. Undefined with too few days.
 */
export function forecastSpending(input: ForecastInput): Forecast | undefined {
  const { now, spent, limit, end, hours } = input;
  const days = input.days.slice(-MAX_DAYS);
  if (days.length < MIN_DAYS) return undefined;
  const today = Math.floor(now / DAY_MS);
  const averages = averageDays(days, today);
  const until = end ?? now + MAX_SEARCH_MS;
  const shares = remainingShares(now, until, hours);
  let remaining = 0;
  shares.forEach((share, at) => (remaining += share * averages.of(today + at)));
  const spread = Math.sqrt(varianceOf(days, shares, averages, today));
  const margin = quantileOf(days.length - averages.kinds) * spread;
  const high = spent + remaining + margin;
  const fast = remaining > 0 ? (remaining + margin) / remaining : 1;
  const exhausted = (speed: number): number | undefined =>
    findExhaustion({ now, until, left: limit - spent, hours, costOf: (day) => speed * averages.of(day) });
  return {
    projected:
      end === undefined
        ? undefined
        : { expected: spent + remaining, low: Math.max(spent, spent + remaining - margin), high },
    exhaustedAt: exhausted(1),
    exhaustedEarliest: exhausted(fast),
    isWeekly: averages.kinds === WEEK,
  };
}

interface Averages {
  /** Number of kinds of days: one, or the days of the week. */
  readonly kinds: number;
  /** The average of a day, counted from 1970. */
  readonly of: (day: number) => number;
}

/** With enough days, each day of the week has its own average. */
function averageDays(days: readonly number[], today: number): Averages {
  const kinds = days.length >= MIN_WEEKLY_DAYS ? WEEK : 1;
  const first = today - days.length;
  const sums = Array.from({ length: kinds }, () => ({ sum: 0, count: 0 }));
  days.forEach((cost, at) => {
    const kind = sums[(first + at) % kinds];
    if (kind) {
      kind.sum += cost;
      kind.count += 1;
    }
  });
  const means = sums.map(({ sum, count }) => sum / Math.max(1, count));
  return { kinds, of: (day) => means[day % kinds] ?? 0 };
}

/** For each day from today, the share of it that remains in the window. */
function remainingShares(now: number, until: number, hours: readonly number[]): number[] {
  const today = Math.floor(now / DAY_MS);
  const shares: number[] = [];
  for (let day = today; day * DAY_MS < until; day += 1) {
    const [from, to] = [Math.max(now, day * DAY_MS), Math.min(until, (day + 1) * DAY_MS)];
    shares.push(shareOfDay(from - day * DAY_MS, to - day * DAY_MS, hours));
  }
  return shares;
}

/** The share of a day's spending between two times of day. */
function shareOfDay(from: number, to: number, hours: readonly number[]): number {
  return hours.reduce((sum, share, hour) => {
    const length = Math.min(to, (hour + 1) * HOUR_MS) - Math.max(from, hour * HOUR_MS);
    return length <= 0 ? sum : sum + (share * length) / HOUR_MS;
  }, 0);
}

/** The variance of the remaining spending around its expected value. */
function varianceOf(
  days: readonly number[],
  shares: readonly number[],
  { kinds, of }: Averages,
  today: number,
): number {
  const first = today - days.length;
  const residuals = days.map((cost, at) => cost - of(first + at));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const variance = squares / Math.max(1, days.length - kinds);
  const products = residuals.slice(1).reduce((sum, one, at) => sum + one * (residuals[at] ?? 0), 0);
  // If consecutive days are alike, several expensive days follow each other.
  const alike = squares === 0 ? 0 : Math.min(0.8, Math.max(0, products / squares + 2 / days.length));
  const total = (chosen: readonly number[]): number => chosen.reduce((sum, share) => sum + share, 0);
  const ofDays = total(shares);
  const ofAverages = Array.from({ length: kinds }, (_, kind) =>
    total(shares.filter((_share, at) => (today + at) % kinds === kind)),
  ).reduce((sum, share) => sum + (share ** 2 * kinds) / days.length, 0);
  return (variance * (ofDays + ofAverages) * (1 + alike)) / (1 - alike);
}

interface Search {
  readonly now: number;
  readonly until: number;
  readonly left: number;
  readonly hours: readonly number[];
  readonly costOf: (day: number) => number;
}

/** The hour in which the rest of a budget is spent. */
function findExhaustion({ now, until, left, hours, costOf }: Search): number | undefined {
  if (left <= 0) return now;
  let rest = left;
  for (let from = now; from < until;) {
    const day = Math.floor(from / DAY_MS);
    const hour = Math.floor((from % DAY_MS) / HOUR_MS);
    const to = Math.min(until, day * DAY_MS + (hour + 1) * HOUR_MS);
    const cost = (costOf(day) * (hours[hour] ?? 0) * (to - from)) / HOUR_MS;
    if (cost >= rest) return Math.round(from + ((to - from) * rest) / cost);
    rest -= cost;
    from = to;
  }
  return undefined;
}

/** The 90 % quantile of Student's t distribution, by Cornish and Fisher's expansion. */
function quantileOf(freedom: number): number {
  const z = 1.2816;
  const n = Math.max(2, freedom);
  return z + (z ** 3 + z) / (4 * n) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * n ** 2);
}
