import { expect, test } from 'vitest';
import { frontierShares, onFrontier } from '#gateway/evaluation/metrics/compare/frontier.ts';
import { readGolden } from '../golden-metrics.ts';
import { runSteps } from './run-steps.ts';

/** Results of paretoset, created by fixtures/scripts/make_frontier.py. */
const examples = readGolden('frontier') as readonly {
  readonly points: readonly (readonly [number, number])[];
  readonly on: readonly boolean[];
}[];

test('the frontier equals that of paretoset', () => {
  const wrong = examples.filter(({ points, on }) => {
    const found = onFrontier(points.map(([amount, quality]) => ({ amount, quality })));
    return JSON.stringify(found) !== JSON.stringify(on);
  });
  expect(wrong).toEqual([]);
});

const scores = (rows: number, isRight: (row: number) => boolean): Float64Array =>
  Float64Array.from({ length: rows }, (_, row) => (isRight(row) ? 1 : 0));

test('an alternative that is worse in every row is never on the frontier, and one that is close sometimes is', () => {
  const shares = runSteps(
    frontierShares([
      { amount: 1, scores: scores(100, (row) => row < 50) },
      { amount: 2, scores: scores(100, (row) => row < 40) },
      { amount: 3, scores: scores(100, (row) => row % 2 === 0 || row === 1) },
    ]),
  );
  expect(shares[0]).toBe(1);
  expect(shares[1]).toBe(0);
  expect(shares[2]).toBeGreaterThan(0.3);
  expect(shares[2]).toBeLessThan(0.8);
});

test('rows without a score are ignored, and many rows are resampled in groups', () => {
  const half = scores(100_000, (row) => row % 2 === 0);
  const gaps = half.map((score, row) => (row % 3 === 0 ? Number.NaN : score));
  const better = half.map((score, row) => (row % 10 === 1 ? 1 : score));
  const shares = runSteps(
    frontierShares(
      [
        { amount: 1, scores: gaps },
        { amount: 2, scores: better },
      ],
      { resamples: 50 },
    ),
  );
  expect(shares).toEqual([1, 1]);
});
