import { expect, test } from 'vitest';
import {
  createRandomizedDifferences,
  randomizedDifferences,
} from '#gateway/evaluation/metrics/sequential/randomized-differences.ts';

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Units in which each value appears for both models in proportion to the share. */
const units = (
  share: number,
  count: number,
  value: (isCandidate: boolean, at: number) => number | undefined,
) =>
  Array.from({ length: count }, (_, at) => {
    const isCandidate = at % 10 < share * 10;
    return { isCandidate, share, value: value(isCandidate, at) };
  });

test('the mean of the differences is that of what the candidate changes', () => {
  const estimate = createRandomizedDifferences();
  const all = units(0.3, 5000, (isCandidate, at) => (isCandidate ? 0.4 : 0.6) + (at % 7) * 0.01);
  expect(meanOf(all.map((unit) => estimate(unit)?.difference ?? 0))).toBeCloseTo(-0.2, 2);
});

test('no difference is larger than its bound, which does not depend on the unit’s own value', () => {
  for (const value of [0, 1]) {
    const estimate = createRandomizedDifferences();
    for (const unit of units(0.1, 50, () => 1)) estimate(unit);
    const last = estimate({ isCandidate: true, share: 0.1, value });
    expect(Math.abs(last?.difference ?? Infinity)).toBeLessThanOrEqual(last?.bound ?? 0);
    expect(last?.bound).toBeCloseTo(9.24, 1);
  }
});

test('a share that grows while values fall causes no difference', () => {
  const estimate = createRandomizedDifferences();
  // With plain means, the candidate would be worse by 0.17: most of its units are in the second half.
  const early = units(0.1, 2000, () => 0.9);
  const late = units(0.5, 2000, () => 0.5);
  const differences = [...early, ...late].map((unit) => estimate(unit)?.difference ?? 0);
  expect(Math.abs(meanOf(differences))).toBeLessThan(0.01);
});

test('units of one model that have a value more often cause no difference', () => {
  const estimate = createRandomizedDifferences();
  const all = units(0.5, 4000, (isCandidate, at) => (isCandidate || at % 2 === 0 ? 0.9 : undefined));
  const differences = all.flatMap((unit) => estimate(unit)?.difference ?? []);
  expect(differences.length).toBeLessThan(all.length);
  expect(Math.abs(meanOf(differences))).toBeLessThan(0.01);
});

test('with the same share for all units, the mean of unbounded differences is the difference of the means', () => {
  const all = units(0.2, 100, (isCandidate, at) => (isCandidate ? 5 : 7) + (at % 3)).map((unit) => ({
    ...unit,
    value: unit.value ?? 0,
  }));
  const armMean = (isCandidate: boolean): number =>
    meanOf(all.filter((unit) => unit.isCandidate === isCandidate).map(({ value }) => value));
  expect(meanOf(randomizedDifferences(all))).toBeCloseTo(armMean(true) - armMean(false), 10);
});
