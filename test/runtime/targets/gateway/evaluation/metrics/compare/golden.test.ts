import { expect, test } from 'vitest';
import { bootstrapInterval, meanOf, seededRandom } from '#gateway/evaluation/metrics/compare/bootstrap.ts';
import { holm, mcnemar, randomizationTest } from '#gateway/evaluation/metrics/compare/compare-pair.ts';
import { readGolden, wrongNumber } from '../golden-metrics.ts';
import { runSteps } from './run-steps.ts';

interface BootstrapCase {
  readonly scores: readonly number[];
  readonly resamples: number;
  readonly seed: number;
  readonly confidence: number;
  readonly interval: readonly [low: number, high: number];
}
interface RandomizationCase {
  readonly differences: readonly number[];
  readonly rounds: number;
  readonly seed: number;
  readonly exact: boolean;
  readonly p_value: number;
}

const GOLDEN = readGolden('compare') as {
  readonly random: readonly { readonly seed: number; readonly numbers: readonly number[] }[];
  readonly bootstrap: readonly BootstrapCase[];
  readonly randomization: readonly RandomizationCase[];
  readonly mcnemar: readonly {
    readonly first_only: number;
    readonly second_only: number;
    readonly p_value: number;
  }[];
  readonly holm: readonly { readonly p_values: readonly number[]; readonly adjusted: readonly number[] }[];
};

test('golden data contains many cases', () => {
  expect(GOLDEN.bootstrap.length).toBeGreaterThan(50);
  for (const exact of [true, false])
    expect(GOLDEN.randomization.filter((golden) => golden.exact === exact).length).toBe(40);
  expect(GOLDEN.mcnemar.length).toBeGreaterThan(60);
  expect(GOLDEN.holm.length).toBeGreaterThan(60);
});

test('a seed produces the sequence of sfc32', () => {
  expect(GOLDEN.random.length).toBe(5);
  for (const { seed, numbers } of GOLDEN.random) {
    const random = seededRandom(seed);
    expect(numbers.map(random.uint32), `seed ${seed}`).toEqual(numbers);
  }
});

test('bootstrap intervals match numpy for the same resamples', () => {
  const wrong = GOLDEN.bootstrap.flatMap(({ scores, interval, ...options }, number) => {
    const values = Float64Array.from(scores);
    const found = runSteps(bootstrapInterval(values.length, meanOf(values), options));
    return [
      ...wrongNumber(found?.low, interval[0], `case ${number} low`),
      ...wrongNumber(found?.high, interval[1], `case ${number} high`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('randomization tests match scipy for few rows, and numpy with the same signs for many rows', () => {
  const wrong = GOLDEN.randomization.flatMap(({ differences, p_value, ...options }, number) =>
    wrongNumber(
      runSteps(randomizationTest(Float64Array.from(differences), options)),
      p_value,
      `case ${number}`,
    ),
  );
  expect(wrong).toEqual([]);
});

test("the exact McNemar test matches scipy's binomial test", () => {
  for (const { first_only, second_only, p_value } of GOLDEN.mcnemar) {
    const rows = first_only + second_only + 3;
    const first = Float64Array.from({ length: rows }, (_, at) => (at < first_only || at >= rows - 3 ? 1 : 0));
    const second = Float64Array.from({ length: rows }, (_, at) => (at < first_only ? 0 : 1));
    const wrongBy = Math.abs(mcnemar(first, second) - p_value);
    // Tiny values must also be correct.
    expect(wrongBy, `${first_only} against ${second_only}`).toBeLessThanOrEqual(1e-6 * p_value);
  }
});

test('adjusted p-values match the Holm method of statsmodels', () => {
  const wrong = GOLDEN.holm.flatMap(({ p_values, adjusted }) => [
    ...wrongNumber(holm(p_values).length, adjusted.length, String(p_values)),
    ...holm(p_values).flatMap((value, at) => wrongNumber(value, adjusted[at], String(p_values))),
  ]);
  expect(wrong).toEqual([]);
});
