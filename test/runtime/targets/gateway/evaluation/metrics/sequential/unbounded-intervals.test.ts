import { expect, test } from 'vitest';
import { seededRandom } from '#gateway/evaluation/metrics/compare/bootstrap.ts';
import {
  meanInterval,
  quantileDifference,
} from '#gateway/evaluation/metrics/sequential/unbounded-intervals.ts';

function randomValues(count: number, seed = 1): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.uint32() / 2 ** 32);
}
const sorted = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

test('the interval of a mean contains it, and gets narrower with more values', () => {
  const widths = [300, 3000, 30_000].map((count) => {
    const interval = meanInterval(randomValues(count), 0.05);
    expect(interval?.lower).toBeLessThan(0.5);
    expect(interval?.upper).toBeGreaterThan(0.5);
    return (interval?.upper ?? 0) - (interval?.lower ?? 0);
  });
  expect(widths).toEqual(widths.toSorted((one, other) => other - one));
  // It is wider than an interval that is only valid once: 2 * 1.96 * 0.289 / sqrt(3000) is 0.0207.
  expect(widths[1]).toBeGreaterThan(0.0207);
  expect(widths[1]).toBeLessThan(0.0414);
});

test('there is no interval with too few values', () => {
  expect(meanInterval(randomValues(299), 0.05)).toBeUndefined();
  const many = sorted(randomValues(2000));
  expect(quantileDifference([], many, 0.5, 0.05)).toBeUndefined();
  expect(quantileDifference(many, sorted(randomValues(20)), 0.5, 0.05)).toBeUndefined();
  expect(quantileDifference(many, sorted(randomValues(200)), 0.95, 0.05)).toBeUndefined();
});

test('equal values have an interval of their own size', () => {
  expect(
    meanInterval(
      Array.from({ length: 300 }, () => 4),
      0.05,
    ),
  ).toEqual({ lower: 4, upper: 4 });
});

test('the interval of a difference of medians contains it', () => {
  const [current, candidate] = [randomValues(2000), randomValues(2000, 2).map((value) => value + 3)];
  const interval = quantileDifference(sorted(current), sorted(candidate), 0.5, 0.05);
  expect(interval?.lower).toBeGreaterThan(2.8);
  expect(interval?.lower).toBeLessThan(3);
  expect(interval?.upper).toBeGreaterThan(3);
  expect(interval?.upper).toBeLessThan(3.2);
});
