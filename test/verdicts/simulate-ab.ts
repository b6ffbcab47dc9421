import { createPairedTest } from '#gateway/evaluation/metrics/sequential/paired-test.ts';
import {
  createRandomizedDifferences,
  type RandomizedValue,
  randomizedDifferences,
} from '#gateway/evaluation/metrics/sequential/randomized-differences.ts';
import {
  meanInterval,
  quantileDifference,
} from '#gateway/evaluation/metrics/sequential/unbounded-intervals.ts';
import { seededRandom } from '#gateway/evaluation/metrics/compare/bootstrap.ts';
import type { Experiment } from './simulate.ts';

type Draw = () => number;

/** How the users of an A/B test behave. `at` is from 0, for the first user, to 1. */
export interface Population {
  readonly name: string;
  readonly share: (at: number) => number;
  /** Number of requests of a user. */
  readonly requests: (draw: Draw) => number;
  /** Probability that a request of the current model is good. */
  readonly quality: (at: number, draw: Draw) => number;
  /** Probability that a user rates responses. Default: 1. */
  readonly rates?: (isCandidate: boolean) => number;
}

const oneToFive = (draw: Draw): number => 1 + Math.floor(draw() * 5);
const between = (low: number, high: number) => (_at: number, draw: Draw) => low + draw() * (high - low);

/** Populations that tests of the wrong kind get wrong. */
export const POPULATIONS: readonly Population[] = [
  { name: 'half of the users', share: () => 0.5, requests: oneToFive, quality: between(0.6, 1) },
  { name: 'a tenth of the users', share: () => 0.1, requests: oneToFive, quality: between(0.6, 1) },
  {
    name: 'few heavy users',
    share: () => 0.5,
    // One user of 50 sends most requests, and users differ a lot.
    requests: (draw) => (draw() < 0.02 ? 300 : oneToFive(draw)),
    quality: (_at, draw) => (draw() < 0.3 ? 0.2 : 0.95),
  },
  {
    name: 'share grows, quality falls',
    share: (at) => (at < 0.5 ? 0.1 : 0.5),
    requests: oneToFive,
    quality: (at, draw) => 0.95 - 0.35 * at - 0.1 * draw(),
  },
  {
    name: 'ratings, more for one model',
    share: () => 0.5,
    requests: oneToFive,
    quality: between(0.6, 1),
    rates: (isCandidate) => (isCandidate ? 0.4 : 0.2),
  },
];

export interface AbOptions {
  readonly population: Population;
  readonly difference: number;
  readonly margin: number;
  readonly alpha: number;
  readonly users: number;
  readonly seed: number;
  /** Whether each request counts on its own, which is wrong. */
  readonly byRequest?: boolean;
}

/** Runs one A/B test and looks at the verdict after every user. */
export function runAbExperiment(options: AbOptions): Experiment {
  const { population, difference, margin, alpha, users, seed, byRequest = false } = options;
  const random = seededRandom(seed);
  const draw: Draw = () => random.uint32() / 2 ** 32;
  const test = createPairedTest({ margin, alpha });
  const estimate = createRandomizedDifferences();
  const add = (unit: Parameters<typeof estimate>[0]): void => {
    const estimated = estimate(unit);
    if (estimated) test.add(estimated.difference, estimated.bound);
  };
  for (let user = 0; user < users; user += 1) {
    const at = user / users;
    const share = population.share(at);
    const isCandidate = draw() < share;
    const quality = population.quality(at, draw) + (isCandidate ? difference : 0);
    const requests = population.requests(draw);
    const isRated = draw() < (population.rates?.(isCandidate) ?? 1);
    const good = Array.from({ length: requests }, () => (draw() < quality ? 1 : 0));
    if (!isRated) add({ isCandidate, share, value: undefined });
    else if (byRequest) for (const value of good) add({ isCandidate, share, value });
    else add({ isCandidate, share, value: good.reduce<number>((sum, one) => sum + one, 0) / requests });
    if (test.verdict() !== 'undecided')
      return { verdict: test.verdict(), rows: user + 1, estimate: undefined };
  }
  return { verdict: test.verdict(), rows: users, estimate: undefined };
}

/** How often an interval for costs or durations misses the true difference in any reading. */
export interface MissedIntervals {
  readonly name: string;
  readonly misses: (seed: number, rows: number, alpha: number) => boolean;
}

/** A value with a long tail, like costs and durations: the exponential of a normal value. */
const longTailed = (draw: Draw): number =>
  Math.exp(Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw()));

/** The mean of `longTailed`. */
const TAIL_MEAN = Math.exp(0.5);

const READ_EVERY = 20;

/** Whether any of the readings misses. */
function anyMisses(
  rows: number,
  add: () => void,
  interval: () => { readonly lower: number; readonly upper: number } | undefined,
  truth: number,
): boolean {
  for (let row = 1; row <= rows; row += 1) {
    add();
    if (row % READ_EVERY !== 0) continue;
    const found = interval();
    if (found && (truth < found.lower || truth > found.upper)) return true;
  }
  return false;
}

const drawOf = (seed: number): Draw => {
  const random = seededRandom(seed);
  return () => random.uint32() / 2 ** 32;
};

function missesOfTest(share: number) {
  return (seed: number, rows: number, alpha: number): boolean => {
    const draw = drawOf(seed);
    const units: RandomizedValue[] = [];
    const add = (): void => {
      const isCandidate = draw() < share;
      units.push({ isCandidate, share, value: longTailed(draw) * (isCandidate ? 0.7 : 1) });
    };
    const interval = () =>
      units.filter((unit) => unit.isCandidate).length < 50
        ? undefined
        : meanInterval(randomizedDifferences(units), alpha);
    return anyMisses(rows, add, interval, -0.3 * TAIL_MEAN);
  };
}

export const INTERVALS: readonly MissedIntervals[] = [
  {
    name: 'mean cost, shadow evaluation',
    misses(seed, rows, alpha) {
      const draw = drawOf(seed);
      const differences: number[] = [];
      const add = (): void => {
        const common = longTailed(draw);
        differences.push(common * (0.2 + 0.6 * draw()) - common);
      };
      const truth = -0.5 * TAIL_MEAN;
      return anyMisses(rows, add, () => meanInterval(differences, alpha), truth);
    },
  },
  { name: 'mean cost, A/B test, half', misses: missesOfTest(0.5) },
  { name: 'mean cost, A/B test, a tenth', misses: missesOfTest(0.1) },
  ...[0.5, 0.95].map((share) => ({
    name: share === 0.5 ? 'median duration' : '95th percentile of the duration',
    misses(seed: number, rows: number, alpha: number) {
      const draw = drawOf(seed);
      const [current, candidate]: [number[], number[]] = [[], []];
      const add = (): void => {
        current.push(longTailed(draw));
        candidate.push(longTailed(draw) * 0.7);
      };
      const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
      const interval = () => quantileDifference(sorted(current), sorted(candidate), share, alpha);
      const quantile = share === 0.5 ? 1 : Math.exp(1.6448536269514722);
      return anyMisses(rows, add, interval, -0.3 * quantile);
    },
  })),
];
