import { expect, test } from 'vitest';
import {
  DAY_MS,
  forecastCourse,
  forecastSpending,
  HOUR_MS,
  leastSpending,
} from '#gateway/accounts/ledger/forecast/forecast.ts';

const EVEN = Array.from({ length: 24 }, () => 1 / 24);
/** A Monday at noon. */
const NOW = Date.parse('2026-11-30T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-30T00:00:00Z');

const steady = (days: number, cost = 24) => ({
  now: NOW,
  spent: 12,
  limit: 1000,
  end: MIDNIGHT + 7 * DAY_MS,
  days: Array.from({ length: days }, () => cost),
  hours: EVEN,
});

test('steady spending is continued until the end of the window', () => {
  expect(forecastSpending(steady(10))).toEqual({
    projected: { expected: expect.closeTo(168), low: expect.closeTo(168), high: expect.closeTo(168) },
    exhaustedAt: undefined,
    exhaustedEarliest: undefined,
    isWeekly: false,
  });
  const exhausted = forecastSpending({ ...steady(30), limit: 36 });
  expect(exhausted).toMatchObject({ exhaustedAt: NOW + DAY_MS, isWeekly: true });
  expect(forecastSpending({ ...steady(30), limit: 12 })?.exhaustedAt).toBe(NOW);
});

test('a budget without resets has no end, but can be exhausted', () => {
  const forecast = forecastSpending({ ...steady(10), end: undefined, limit: 12 + 24 * 100 });
  expect(forecast?.projected).toBeUndefined();
  expect(Math.abs((forecast?.exhaustedAt ?? 0) - (NOW + 100 * DAY_MS))).toBeLessThan(HOUR_MS);
});

test('fewer than 7 days are not enough, and days without spending count', () => {
  expect(forecastSpending(steady(6))).toBeUndefined();
  const forecast = forecastSpending(steady(10, 0));
  expect(forecast?.projected).toEqual({ expected: 12, low: 12, high: 12 });
});

test('days of the week and hours of the day have their usual shares', () => {
  // 2026-11-02 is a Monday; nothing is spent on weekends, and everything between 9 and 10 o’clock.
  const days = Array.from({ length: 28 }, (_, at) => (at % 7 < 5 ? 10 : 0));
  const hours = EVEN.map((_, hour) => (hour === 9 ? 1 : 0));
  const until = (end: string) =>
    forecastSpending({ now: NOW, spent: 0, limit: 25, end: Date.parse(end), days, hours });
  expect(until('2026-12-07T00:00:00Z')?.projected?.expected).toBeCloseTo(40, 9);
  expect(until('2026-12-01T00:00:00Z')?.projected?.expected).toBe(0);
  expect(until('2026-12-12T00:00:00Z')?.exhaustedAt).toBe(Date.parse('2026-12-03T09:30:00Z'));
});

/** A generator with a fixed sequence. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return (state + 0.5) / 4_294_967_296;
  };
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());

/** Spending per day of known processes. */
const PROCESSES: Record<string, (random: () => number) => (day: number) => number> = {
  independent: (random) => () => Math.max(0, 100 + 30 * normal(random)),
  'skewed, with expensive days': (random) => () => 60 * Math.exp(0.8 * normal(random)),
  'weekly pattern': (random) => (day) => (day % 7 < 5 ? 100 : 20) * Math.exp(0.3 * normal(random)),
  'consecutive days are alike': (random) => {
    let level = 0;
    return () => {
      level = 0.6 * level + 24 * normal(random);
      return Math.max(0, 100 + level);
    };
  },
};

test.each(
  Object.keys(PROCESSES).flatMap((name) =>
    [14, 42].flatMap((history) => [3, 20].map((ahead) => [name, history, ahead] as const)),
  ),
)('%s: the interval after %i days, %i days ahead, holds as often as it should', (name, history, ahead) => {
  const random = numbersFrom(history * 100 + ahead);
  const runs = 600;
  let inside = 0;
  for (let run = 0; run < runs; run += 1) {
    const costOf = PROCESSES[name]?.(random) ?? (() => 0);
    const first = Math.floor(MIDNIGHT / DAY_MS) - history;
    const days = Array.from({ length: history }, (_, at) => costOf(first + at));
    let actual = 0;
    for (let at = 0; at < ahead; at += 1) actual += costOf(first + history + at);
    const end = MIDNIGHT + ahead * DAY_MS;
    const input = { now: MIDNIGHT, spent: 0, limit: 1e9, end, days, hours: EVEN };
    const { low = 0, high = 0 } = forecastSpending(input)?.projected ?? {};
    if (low <= actual && actual <= high) inside += 1;
  }
  if (process.env['SHOW']) console.log(name, history, ahead, (inside / runs).toFixed(3));
  expect(inside / runs).toBeGreaterThan(0.7);
  expect(inside / runs).toBeLessThan(0.95);
});

test.each([50, 75, 90, 97])('spending reaches its lower bound with a certainty of %i %%', (certainty) => {
  const random = numbersFrom(certainty);
  const runs = 800;
  let reached = 0;
  for (let run = 0; run < runs; run += 1) {
    const costOf = PROCESSES['independent']?.(random) ?? (() => 0);
    const days = Array.from({ length: 42 }, (_, at) => costOf(at));
    const actual = Array.from({ length: 20 }, (_, at) => costOf(at)).reduce((sum, cost) => sum + cost, 0);
    const end = MIDNIGHT + 20 * DAY_MS;
    const input = { now: MIDNIGHT, spent: 0, limit: 1e9, end, days, hours: EVEN };
    if (actual >= (leastSpending(input, certainty) ?? Infinity)) reached += 1;
  }
  // Intervals are rather too wide than too narrow.
  expect((100 * reached) / runs).toBeGreaterThan(certainty - 4);
  expect((100 * reached) / runs).toBeLessThan(certainty + 8);
});

test('a lower bound needs enough days and an end', () => {
  expect(leastSpending(steady(6), 90)).toBeUndefined();
  expect(leastSpending({ ...steady(10), end: undefined }, 90)).toBeUndefined();
  expect(leastSpending(steady(10), 90)).toBeCloseTo(168);
});

test('a course has points by day, or by hour in a short window, and ends with the projection', () => {
  const input = steady(30);
  const end = MIDNIGHT + 7 * DAY_MS;
  const course = forecastCourse(input, end);
  expect(course.map(({ at }) => at)).toEqual([
    NOW,
    ...[1, 2, 3, 4, 5, 6].map((day) => MIDNIGHT + day * DAY_MS),
    end,
  ]);
  expect(course.map(({ expected }) => Math.round(expected))).toEqual([12, 24, 48, 72, 96, 120, 144, 168]);
  expect(forecastCourse(input, NOW + 2.5 * HOUR_MS).map(({ at }) => (at - NOW) / HOUR_MS)).toEqual([
    0, 1, 2, 2.5,
  ]);
  expect(forecastCourse(steady(6), end)).toEqual([]);
});
