import {
  createPairedTest,
  type DifferenceInterval,
  differenceInterval,
  type PairedTest,
  type SequentialVerdict,
} from '../../evaluation/metrics/sequential/paired-test.ts';
import {
  meanInterval,
  quantileDifference,
  quantileOf,
} from '../../evaluation/metrics/sequential/unbounded-intervals.ts';
import type { NumberedRow, ScorePair, ShadowRecords, Trial, TrialPlan } from './shadow-records.ts';

/** The tests of a trial, one per metric. */
interface MetricTests {
  readonly verdict: () => SequentialVerdict;
  /** Estimated number of further rows until a verdict; undefined if unknown. */
  readonly remaining: () => number | undefined;
  readonly tests: ReadonlyMap<string, PairedTest>;
}

/** The tests of a shadow evaluation, which rows are added to in order. */
interface TrialTests extends MetricTests {
  add(row: Pick<NumberedRow, 'scores'>): void;
}

/**
 * The probability of an error of each metric. It is divided by the number of deciding metrics, so that all verdicts
 * together are right with the configured confidence.
 */
export const alphaOf = ({ confidence, deciding }: TrialPlan): number =>
  (1 - confidence) / Math.max(1, deciding.length);

export function createMetricTests(plan: TrialPlan): MetricTests {
  const options = { margin: plan.margin, alpha: alphaOf(plan) };
  const tests = new Map(plan.metrics.map((metric) => [metric, createPairedTest(options)]));
  const deciding = plan.deciding.flatMap((metric) => tests.get(metric) ?? []);
  const verdict = (): SequentialVerdict => {
    if (deciding.some((test) => test.verdict() === 'worse')) return 'worse';
    const isDecided = deciding.length > 0 && deciding.every((test) => test.verdict() === 'not_worse');
    return isDecided ? 'not_worse' : 'undecided';
  };
  return {
    tests,
    verdict,
    remaining() {
      const open = deciding.filter((test) => test.verdict() === 'undecided');
      const estimates = open.map((test) => test.remaining());
      if (verdict() !== 'undecided' || estimates.includes(undefined)) return undefined;
      return estimates.reduce<number>((highest, one) => Math.max(highest, one ?? 0), 0);
    },
  };
}

/** The two scores of a row; undefined without the metric. */
function pairOf({ scores }: Pick<NumberedRow, 'scores'>, metric: string): ScorePair | undefined {
  const pair = Object.hasOwn(scores, metric) ? scores[metric] : undefined;
  return typeof pair === 'number' ? undefined : pair;
}

export function createTrialTests(plan: TrialPlan): TrialTests {
  const group = createMetricTests(plan);
  return {
    ...group,
    add(row) {
      for (const [metric, test] of group.tests) {
        const pair = pairOf(row, metric);
        if (pair) test.add(pair[1] - pair[0]);
      }
    },
  };
}

export interface MetricReport {
  readonly name: string;
  readonly decides: boolean;
  readonly rows: number;
  /** Mean scores; null without rows. */
  readonly baseline: number | null;
  readonly candidate: number | null;
  readonly difference: number | null;
  readonly lower: number;
  readonly upper: number;
  readonly verdict: SequentialVerdict;
}

/** A value of both models over the rows that have both, and the interval of its difference. */
export interface Comparison {
  readonly baseline: number | null;
  readonly candidate: number | null;
  /** Candidate minus current model. */
  readonly difference: number | null;
  /** Null with too few values. */
  readonly lower: number | null;
  readonly upper: number | null;
}

interface UnitCounts {
  readonly baseline: number;
  readonly candidate: number;
  readonly waiting: number;
}

export interface TrialReport {
  readonly trial: Trial;
  readonly verdict: SequentialVerdict;
  /** Compared requests that are still stored. */
  readonly rows: number;
  readonly failed: number;
  readonly remaining: number | undefined;
  readonly metrics: readonly MetricReport[];
  /** Units of an A/B test whose windows are over, and those whose are not; undefined for a shadow evaluation. */
  readonly units: UnitCounts | undefined;
  /** Mean cost per request, in nano-dollars. */
  readonly cost: Comparison;
  /** What all judging cost, in nano-dollars. */
  readonly scoringCost: bigint;
  readonly p50Ms: Comparison;
  readonly p95Ms: Comparison;
  readonly firstP50Ms: Comparison;
  /** Mean number of tokens per response, in an A/B test. */
  readonly outputTokens: Comparison;
  readonly skipped: Readonly<Record<string, number>>;
}

const ROWS_PER_READ = 1000;

/** Reads a trial's rows and evaluates them. */
export async function reportTrial(
  records: Pick<ShadowRecords, 'rows' | 'skips'>,
  trial: Trial,
): Promise<TrialReport> {
  const { plan } = trial;
  const rows: NumberedRow[] = [];
  const tests = createTrialTests(plan);
  await readRows(records, trial.id, 0, (row) => {
    tests.add(row);
    rows.push(row);
  });
  const alpha = 1 - plan.confidence;
  const answered = rows.filter((row) => row.failed === 0);
  const priced = answered.filter((row) => row.cost_nano !== null && row.candidate_cost_nano !== null);
  const timed = answered.filter((row) => row.candidate_duration_ms !== null);
  const streamed = answered.filter((row) => row.first_ms !== null && row.candidate_first_ms !== null);
  const costs = [
    priced.map((row) => Number(row.cost_nano)),
    priced.map((row) => Number(row.candidate_cost_nano)),
  ] as const;
  const durations = [
    timed.map((row) => row.duration_ms),
    timed.map((row) => row.candidate_duration_ms ?? 0),
  ] as const;
  const firsts = [
    streamed.map((row) => row.first_ms ?? 0),
    streamed.map((row) => row.candidate_first_ms ?? 0),
  ] as const;
  return {
    trial,
    // A verdict stays even if rows were deleted since.
    verdict: trial.verdict === 'undecided' ? tests.verdict() : trial.verdict,
    rows: rows.length,
    failed: rows.length - answered.length,
    remaining: trial.verdict === 'undecided' ? tests.remaining() : undefined,
    metrics: plan.metrics.map((name) => metricReport(name, plan, rows, tests)),
    units: undefined,
    cost: compared(meanOf(costs[0]), meanOf(costs[1]), meanInterval(differencesOf(costs), alpha)),
    scoringCost: rows.reduce((sum, row) => sum + row.scoring_cost_nano, 0n),
    p50Ms: quantiles(durations, 0.5, alpha),
    p95Ms: quantiles(durations, 0.95, alpha),
    firstP50Ms: quantiles(firsts, 0.5, alpha),
    outputTokens: compared(null, null, undefined),
    skipped: await records.skips(trial.id),
  };
}

function metricReport(
  name: string,
  plan: TrialPlan,
  rows: readonly NumberedRow[],
  { tests }: TrialTests,
): MetricReport {
  const pairs = rows.flatMap((row) => [pairOf(row, name)].filter((pair) => pair !== undefined));
  const differences = pairs.map(([baseline, candidate]) => candidate - baseline);
  return {
    name,
    decides: plan.deciding.includes(name),
    rows: pairs.length,
    baseline: meanOf(pairs.map(([one]) => one)),
    candidate: meanOf(pairs.map(([, other]) => other)),
    difference: meanOf(differences),
    ...differenceInterval(differences, { alpha: alphaOf(plan) }),
    verdict: tests.get(name)?.verdict() ?? 'undecided',
  };
}

export const meanOf = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

type Both = readonly [readonly number[], readonly number[]];

const differencesOf = ([current, candidate]: Both): number[] =>
  candidate.map((value, at) => value - (current[at] ?? 0));

export const compared = (
  baseline: number | null,
  candidate: number | null,
  interval: DifferenceInterval | undefined,
): Comparison => ({
  baseline,
  candidate,
  difference: baseline === null || candidate === null ? null : candidate - baseline,
  lower: interval?.lower ?? null,
  upper: interval?.upper ?? null,
});

export function quantiles(values: Both, share: number, alpha: number): Comparison {
  const [current, candidate] = values.map((numbers) => numbers.toSorted((one, other) => one - other));
  const [one, other] = [current ?? [], candidate ?? []];
  return compared(
    quantileOf(one, share),
    quantileOf(other, share),
    quantileDifference(one, other, share, alpha),
  );
}

/** Reads a trial's rows after a number, in order. Returns the last number. */
export async function readRows(
  records: Pick<ShadowRecords, 'rows'>,
  trialId: string,
  after: number,
  use: (row: NumberedRow) => void,
): Promise<number> {
  for (let last = after; ;) {
    const more = await records.rows(trialId, last, ROWS_PER_READ);
    for (const row of more) use(row);
    last = more.at(-1)?.number ?? last;
    if (more.length < ROWS_PER_READ) return last;
  }
}

/** The verdict as one sentence. */
export function verdictText(
  { verdict, remaining, rows }: Pick<TrialReport, 'verdict' | 'remaining' | 'rows'>,
  { plan }: Pick<Trial, 'plan'>,
): string {
  const confidence = `${Number((plan.confidence * 100).toFixed(1))}%`;
  if (verdict === 'not_worse') return `not worse with ${confidence}`;
  if (verdict === 'worse') return `worse with ${confidence}`;
  if (rows >= plan.maxRows) return `undecided after the maximum of ${plan.maxRows} rows`;
  const noun = plan.ab ? 'users' : 'rows';
  return remaining === undefined ? 'undecided' : `undecided: about ${remaining} more ${noun}`;
}
