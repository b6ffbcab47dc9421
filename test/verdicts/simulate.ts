import {
  createPairedTest,
  type SequentialVerdict,
} from '#gateway/evaluation/metrics/sequential/paired-test.ts';
import { seededRandom } from '#gateway/evaluation/metrics/compare/bootstrap.ts';

/** Returns a number of at least 0 and below 1. */
type Draw = () => number;

/** How the differences of an experiment are distributed: a random difference whose mean is `mean`. */
export interface Scores {
  readonly name: string;
  readonly difference: (mean: number, draw: Draw) => number;
}

/** Differences as judges and metrics return them. */
export const SCORES: readonly [Scores, ...Scores[]] = [
  {
    // A judge that prefers one of two responses, asked in both orders.
    name: 'pairwise judge',
    difference: (mean, draw) => {
      const prefers = (): number => (draw() < 0.3 ? 0 : draw() < (1 + mean / 0.7) / 2 ? 1 : -1);
      return (prefers() + prefers()) / 2;
    },
  },
  {
    // Scores of both responses that depend on the same request.
    name: 'scores from 0 to 1',
    difference: (mean, draw) => mean + (draw() + draw() + draw() - 1.5) * 0.4,
  },
  {
    // Whether the candidate calls the same tools: 0 or -1, so it is only as good or worse.
    name: 'tool calls',
    difference: (mean, draw) => (draw() < -mean ? -1 : 0),
  },
];

export interface Experiment {
  readonly verdict: SequentialVerdict;
  /** Rows until the verdict; the maximum without one. */
  readonly rows: number;
  /** The number of further rows that was estimated after `estimateAt` rows. */
  readonly estimate: number | undefined;
}

export interface ExperimentOptions {
  readonly scores: Scores;
  readonly mean: number;
  readonly margin: number;
  readonly alpha: number;
  readonly rows: number;
  readonly seed: number;
  readonly estimateAt?: number;
}

/** Runs one experiment and looks at the verdict after every row. */
export function runExperiment(options: ExperimentOptions): Experiment {
  const { scores, mean, margin, alpha, rows, seed, estimateAt } = options;
  const random = seededRandom(seed);
  const draw: Draw = () => random.uint32() / 2 ** 32;
  const test = createPairedTest({ margin, alpha });
  let estimate: number | undefined;
  for (let row = 1; row <= rows; row += 1) {
    test.add(scores.difference(mean, draw));
    if (row === estimateAt) estimate = test.remaining();
    if (test.verdict() !== 'undecided') break;
  }
  return { verdict: test.verdict(), rows: test.decidedAt() ?? rows, estimate };
}
