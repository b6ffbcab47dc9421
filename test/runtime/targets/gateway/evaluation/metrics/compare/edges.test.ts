import { array, assert, double, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bootstrapInterval, meanOf, seededRandom } from '#gateway/evaluation/metrics/compare/bootstrap.ts';
import {
  comparePair,
  randomizationTest,
  scoreInterval,
  holm,
} from '#gateway/evaluation/metrics/compare/compare-pair.ts';
import { within } from '../golden-metrics.ts';
import { runSteps } from './run-steps.ts';

const NONE = Number.NaN;
const floats = (...values: number[]): Float64Array => Float64Array.from(values);
const drawn = (rows: number, seed: number): Float64Array => {
  const random = seededRandom(seed);
  return Float64Array.from({ length: rows }, () => random.uint32() / 2 ** 32);
};

describe('two models on the same rows', () => {
  test('only rows scored by both models count', () => {
    const compared = runSteps(comparePair(floats(1, NONE, 0, 1, NONE), floats(1, 1, 1, NONE, NONE)));
    expect(compared).toMatchObject({ rows: 2, mean: 0.5, test: 'mcnemar_exact', p_value: 1 });
  });

  test('binary scores use the McNemar test, and other scores a randomization test', () => {
    const [first, second] = [new Float64Array(12), new Float64Array(12).fill(1)];
    const whole = runSteps(comparePair(first, second));
    expect(whole.test).toBe('mcnemar_exact');
    expect(whole.p_value).toBeCloseTo(2 * 0.5 ** 12, 12);
    const half = second.map(() => 0.5);
    expect(runSteps(comparePair(first, half))).toMatchObject({
      test: 'randomization',
      p_value: 2 * 0.5 ** 12,
      mean: 0.5,
    });
  });

  test('models with identical scores have a difference of 0 and a p-value of 1', () => {
    const scores = drawn(50, 3);
    expect(runSteps(comparePair(scores, scores))).toEqual({
      rows: 50,
      mean: 0,
      interval: { low: 0, high: 0 },
      test: 'randomization',
      p_value: 1,
    });
  });

  test('models without common rows are not compared', () => {
    const empty = { rows: 0, mean: null, interval: null, p_value: null };
    expect(runSteps(comparePair(floats(1, NONE), floats(NONE, 1)))).toMatchObject(empty);
    expect(runSteps(comparePair(floats(), floats()))).toMatchObject(empty);
  });

  test('score lists of different lengths are rejected', () => {
    expect(() => runSteps(comparePair(floats(1), floats(1, 2)))).toThrow('1 rows against 2');
  });

  test('swapping the models negates the difference and keeps the p-value', () => {
    const scores = array(double({ noNaN: true, min: 0, max: 1 }), { minLength: 1, maxLength: 11 });
    assert(
      property(scores, (values) => {
        const [first, second] = [Float64Array.from(values), Float64Array.from(values.toReversed())];
        const [one, other] = [runSteps(comparePair(first, second)), runSteps(comparePair(second, first))];
        expect(one.p_value).toBe(other.p_value);
        expect(one.p_value).toSatisfy(within(0, 1));
        expect(one.mean).toBeCloseTo(-(other.mean ?? NONE));
      }),
      { numRuns: 50 },
    );
  });
});

describe('large inputs', () => {
  const scores = drawn(20_000, 8).map((score) => score * score);

  test('a confidence interval has the expected width, whether groups of rows or single rows are resampled', () => {
    const folded = runSteps(scoreInterval(scores)).interval;
    const rows = runSteps(bootstrapInterval(scores.length, meanOf(scores), { resamples: 400 }));
    // Both extend 1.96 standard errors to either side, and vary by a few percent between seeds.
    const width = 2 * 1.96 * Math.sqrt(4 / 45 / scores.length);
    for (const interval of [folded, rows]) {
      expect((interval?.high ?? NONE) - (interval?.low ?? NONE)).toSatisfy(
        within(0.85 * width, 1.15 * width),
      );
      expect(1 / 3).toSatisfy(within((interval?.low ?? NONE) - width, (interval?.high ?? NONE) + width));
    }
  });

  test('a small real difference is significant, and a random difference is not', () => {
    const other = drawn(20_000, 9).map((score) => score * score);
    const better = scores.map((score, at) => (other[at] ?? NONE) * 0.01 + score);
    expect(runSteps(comparePair(scores, better, { rounds: 500 })).p_value).toBe(1 / 501);
    const shuffled = scores.map((score, at) => score + ((other[at] ?? NONE) - 1 / 3) * 0.01);
    expect(runSteps(comparePair(scores, shuffled, { rounds: 500 })).p_value).toBeGreaterThan(0.01);
  });

  test('identical scores have an interval of width zero', () => {
    expect(runSteps(scoreInterval(new Float64Array(10_001).fill(1)))).toEqual({
      rows: 10_001,
      mean: 1,
      interval: { low: 1, high: 1 },
    });
  });
});

describe('confidence intervals', () => {
  test('an interval without rows is null', () => {
    expect(runSteps(scoreInterval(floats(NONE)))).toEqual({ rows: 0, mean: null, interval: null });
  });

  test('an interval depends only on the data and the seed', () => {
    const scores = drawn(40, 4);
    const of = (seed: number) => runSteps(scoreInterval(scores, { seed }));
    expect(of(5)).toEqual(of(5));
    expect(of(5)).not.toEqual(of(6));
  });

  test('an interval contains the true mean of coin flips in about 95 of 100 cases', () => {
    let held = 0;
    const numbers = drawn(300 * 100, 77);
    for (let seed = 0; seed < 300; seed++) {
      const coins = numbers.subarray(seed * 100, seed * 100 + 100).map((value) => (value < 0.5 ? 1 : 0));
      const { interval } = runSteps(scoreInterval(coins, { seed, resamples: 400 }));
      if (within(interval?.low ?? 1, interval?.high ?? 0)(0.5)) held += 1;
    }
    expect(held / 300).toSatisfy(within(0.92, 0.98));
  });
});

test('randomly sampled signs approximate the exact test', () => {
  const differences = drawn(16, 12).map((value) => value - 0.4);
  const exact = runSteps(randomizationTest(differences, { rounds: 2 ** 16 }));
  expect(runSteps(randomizationTest(differences, { rounds: 20_000 }))).toSatisfy(
    within(exact - 0.015, exact + 0.015),
  );
});

test('the Holm correction of no p-values is empty', () => {
  expect(holm([])).toEqual([]);
});
