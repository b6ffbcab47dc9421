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
  const model = modelOf(input);
  if (!model) return undefined;
  const until = end ?? now + MAX_SEARCH_MS;
  const { remaining, margin } = model.until(until);
  const fast = remaining > 0 ? (remaining + margin) / remaining : 1;
  const exhausted = (speed: number): number | undefined =>
    findExhaustion({ now, until, left: limit - spent, hours, costOf: (day) => speed * model.costOf(day) });
  return {
    projected: end === undefined ? undefined : projectionOf(spent, remaining, margin),
    exhaustedAt: exhausted(1),
    exhaustedEarliest: exhausted(fast),
    isWeekly: model.isWeekly,
  };
}

/** Expected spending at a time between now and the end of the window. */
export interface CoursePoint extends Projection {
  readonly at: number;
}

/** How a window's spending will continue until a time, by day or, within a few days, by hour. */
export function forecastCourse(input: ForecastInput, until: number): CoursePoint[] {
  const { now, spent } = input;
  const model = modelOf(input);
  if (!model) return [];
  return [now, ...stepsBetween(now, until), until].map((at) => {
    const { remaining, margin } = model.until(at);
    return { at, ...projectionOf(spent, remaining, margin) };
  });
}

/** Longer times have steps of a day. */
const MAX_HOURLY_MS = 3 * DAY_MS;

/** Whole hours or days in UTC after the first time and before the second. */
export function stepsBetween(from: number, to: number): number[] {
  const step = to - from <= MAX_HOURLY_MS ? HOUR_MS : DAY_MS;
  const first = (Math.floor(from / step) + 1) * step;
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / step)) }, (_, at) => first + at * step);
}

/**
 * The amount that a window's spending will reach with a certainty of this percentage, from 50; undefined with
 * too few days, or without an end of the window.
 */
export function leastSpending(input: ForecastInput, certainty: number): number | undefined {
  const model = input.end === undefined ? undefined : modelOf(input);
  if (!model || input.end === undefined) return undefined;
  const { remaining, spread } = model.until(input.end);
  return input.spent + remaining - quantileOf(certainty / 100, model.freedom) * spread;
}

const projectionOf = (spent: number, remaining: number, margin: number): Projection => ({
  expected: spent + remaining,
  low: Math.max(spent, spent + remaining - margin),
  high: spent + remaining + margin,
});

interface Model {
  readonly isWeekly: boolean;
  /** The degrees of freedom of the variance. */
  readonly freedom: number;
  /** The expected cost of a day, counted from 1970. */
  readonly costOf: (day: number) => number;
  /** The expected spending from now until a time, its standard deviation, and half of the interval. */
  readonly until: (time: number) => {
    readonly remaining: number;
    readonly spread: number;
    readonly margin: number;
  };
}

/** Half of the cases that are not in the interval of 80 % are below it. */
const UPPER_SHARE = 0.9;

function modelOf({ now, hours, days: all }: ForecastInput): Model | undefined {
  const days = all.slice(-MAX_DAYS);
  if (days.length < MIN_DAYS) return undefined;
  const today = Math.floor(now / DAY_MS);
  const averages = averageDays(days, today);
  const freedom = days.length - averages.kinds;
  const quantile = quantileOf(UPPER_SHARE, freedom);
  return {
    isWeekly: averages.kinds === WEEK,
    freedom,
    costOf: averages.of,
    until(time) {
      const shares = remainingShares(now, time, hours);
      let remaining = 0;
      shares.forEach((share, at) => (remaining += share * averages.of(today + at)));
      const spread = Math.sqrt(varianceOf(days, shares, averages, today));
      return { remaining, spread, margin: quantile * spread };
    },
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

/** A quantile of Student's t distribution for a probability from 0.5, by Cornish and Fisher's expansion. */
function quantileOf(probability: number, freedom: number): number {
  const z = normalQuantile(probability);
  const n = Math.max(2, freedom);
  return z + (z ** 3 + z) / (4 * n) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * n ** 2);
}

const MAX_Z = 6;
const HALVINGS = 50;

/** The value that a normally distributed number does not exceed with this probability, from 0.5. */
function normalQuantile(probability: number): number {
  let [low, high] = [0, MAX_Z];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The probability of at most z, by the series of the error function. */
function normalShare(z: number): number {
  let [term, sum] = [z, z];
  for (let odd = 3; term > 1e-12 * sum; odd += 2) {
    term *= z ** 2 / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp(-(z ** 2) / 2)) / Math.sqrt(2 * Math.PI);
}
