import { describe, expect, test } from 'vitest';
import { createPairedTest, differenceInterval } from '#gateway/evaluation/metrics/sequential/paired-test.ts';
import { runExperiment, type Scores, SCORES } from '#test/verdicts/simulate.ts';

const MARGIN = 0.05;
const ALPHA = 0.05;

function tested(differences: readonly number[], options = { margin: MARGIN, alpha: ALPHA }) {
  const test = createPairedTest(options);
  for (const difference of differences) test.add(difference);
  return test;
}

const repeated = (differences: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => differences).flat();

describe('createPairedTest', () => {
  test('a test without rows is undecided and has no mean and no estimate', () => {
    const empty = tested([]);
    expect([empty.verdict(), empty.mean(), empty.decidedAt(), empty.remaining()]).toEqual([
      'undecided',
      null,
      null,
      undefined,
    ]);
  });

  test('a candidate that is always worse is worse after a few rows', () => {
    const worse = tested(repeated([-1], 20));
    expect(worse.verdict()).toBe('worse');
    expect(worse.decidedAt()).toBeLessThan(10);
    expect(worse.remaining()).toBeUndefined();
  });

  test('a candidate whose responses are as good is not worse, but not after a few rows', () => {
    const equal = repeated([0.5, -0.5, 0, 0], 500);
    expect(tested(equal.slice(0, 40)).verdict()).toBe('undecided');
    expect(tested(equal).verdict()).toBe('not_worse');
    expect(tested(equal).mean()).toBe(0);
  });

  test('a verdict stays after rows that contradict it', () => {
    const worse = tested([...repeated([-1], 20), ...repeated([1], 500)]);
    expect(worse.verdict()).toBe('worse');
    expect(worse.count()).toBe(520);
  });

  test('differences outside the bound count as the bound', () => {
    expect(tested(repeated([-5], 8)).verdict()).toBe(tested(repeated([-1], 8)).verdict());
  });

  test('the estimate decreases as rows that agree arrive', () => {
    const rows = repeated([-0.5, 0, 0, -0.5, 0.5], 60);
    const [early, late] = [tested(rows.slice(0, 50)), tested(rows.slice(0, 250))];
    expect(late.remaining()).toBeGreaterThan(0);
    expect(late.remaining()).toBeLessThan(early.remaining() ?? 0);
  });
});

describe('error rates, with a reading after every row', () => {
  const EXPERIMENTS = 300;
  const [PAIRWISE] = SCORES;
  const all = (mean: number, scores: Scores = PAIRWISE, margin = MARGIN) =>
    Array.from({ length: EXPERIMENTS }, (_, seed) =>
      runExperiment({ scores, mean, margin, alpha: ALPHA, rows: 400, seed: 7000 + seed }),
    );
  const share = (results: ReturnType<typeof all>, verdict: string): number =>
    results.filter((one) => one.verdict === verdict).length / results.length;

  test.each(SCORES)(
    '$name: at most 5 in 100 verdicts are wrong for differences exactly at the margin',
    (scores) => {
      const results = all(-MARGIN, scores);
      expect(share(results, 'worse') + share(results, 'not_worse')).toBeLessThanOrEqual(0.05);
    },
  );

  test('a clearly worse candidate is found in almost all experiments', () => {
    expect(share(all(-0.3), 'worse')).toBeGreaterThan(0.95);
  });
});

describe('differenceInterval', () => {
  const rows = repeated([-0.5, 0, -0.5, 0.5, 0], 40);

  test('the interval contains the mean and becomes shorter with more rows', () => {
    const few = differenceInterval(rows.slice(0, 30), { alpha: ALPHA });
    const many = differenceInterval(rows, { alpha: ALPHA });
    expect(few.lower).toBeLessThan(-0.1);
    expect(few.upper).toBeGreaterThan(-0.1);
    expect(many.upper - many.lower).toBeLessThan(few.upper - few.lower);
  });

  test('a verdict means that the interval is on one side of the margin', () => {
    const { lower, upper } = differenceInterval(rows, { alpha: ALPHA });
    const at = (margin: number) => tested(rows, { margin, alpha: ALPHA }).verdict();
    expect(at(-(upper + 0.001))).toBe('worse');
    expect(at(-(upper - 0.001))).toBe('undecided');
    expect(at(-(lower - 0.001))).toBe('not_worse');
    expect(at(-(lower + 0.001))).toBe('undecided');
  });

  test('without rows, the interval is everything that is possible', () => {
    const { lower, upper } = differenceInterval([], { alpha: ALPHA });
    expect(lower).toBeCloseTo(-1, 5);
    expect(upper).toBeCloseTo(1, 5);
  });
});
