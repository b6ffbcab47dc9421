import { pushAll } from '#core/values/push-all.ts';
import {
  createPairedTest,
  differenceInterval,
  type PairedTest,
  type SequentialVerdict,
} from '../../evaluation/metrics/sequential/paired-test.ts';
import type { NumberedRow, ShadowRecords, Trial, TrialPlan } from './shadow-records.ts';

/** The tests of a trial, one per metric, which rows are added to in order. */
export interface TrialTests {
  add(row: Pick<NumberedRow, 'scores'>): void;
  readonly verdict: () => SequentialVerdict;
  /** Estimated number of further rows until a verdict; undefined if unknown. */
  readonly remaining: () => number | undefined;
  readonly tests: ReadonlyMap<string, PairedTest>;
}

/**
 * The probability of an error of each metric. It is divided by the number of deciding metrics, so that all verdicts
 * together are right with the configured confidence.
 */
const alphaOf = ({ confidence, deciding }: TrialPlan): number =>
  (1 - confidence) / Math.max(1, deciding.length);

export function createTrialTests(plan: TrialPlan): TrialTests {
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
    add({ scores }) {
      for (const [metric, test] of tests) {
        const pair = Object.hasOwn(scores, metric) ? scores[metric] : undefined;
        if (pair) test.add(pair[1] - pair[0]);
      }
    },
    remaining() {
      const open = deciding.filter((test) => test.verdict() === 'undecided');
      const estimates = open.map((test) => test.remaining());
      if (verdict() !== 'undecided' || estimates.includes(undefined)) return undefined;
      return estimates.reduce<number>((highest, one) => Math.max(highest, one ?? 0), 0);
    },
  };
}

interface MetricReport {
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

/** A value of both models: sums or means over the rows that have both. */
interface BothValues {
  readonly baseline: number | null;
  readonly candidate: number | null;
}

export interface TrialReport {
  readonly trial: Trial;
  readonly verdict: SequentialVerdict;
  /** Compared requests that are still stored. */
  readonly rows: number;
  readonly failed: number;
  readonly remaining: number | undefined;
  readonly metrics: readonly MetricReport[];
  /** Mean cost per request, in nano-dollars. */
  readonly cost: BothValues;
  /** What all judging cost, in nano-dollars. */
  readonly scoringCost: bigint;
  readonly p50Ms: BothValues;
  readonly p95Ms: BothValues;
  readonly firstP50Ms: BothValues;
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
  for (;;) {
    const more = await records.rows(trial.id, rows.at(-1)?.number ?? 0, ROWS_PER_READ);
    for (const row of more) tests.add(row);
    pushAll(rows, more);
    if (more.length < ROWS_PER_READ) break;
  }
  const answered = rows.filter((row) => row.failed === 0);
  const priced = answered.filter((row) => row.cost_nano !== null && row.candidate_cost_nano !== null);
  const timed = answered.filter((row) => row.candidate_duration_ms !== null);
  const streamed = answered.filter((row) => row.first_ms !== null && row.candidate_first_ms !== null);
  const durations = [timed.map((row) => row.duration_ms), timed.map((row) => row.candidate_duration_ms ?? 0)];
  const firsts = [
    streamed.map((row) => row.first_ms ?? 0),
    streamed.map((row) => row.candidate_first_ms ?? 0),
  ];
  return {
    trial,
    // A verdict stays even if rows were deleted since.
    verdict: trial.verdict === 'undecided' ? tests.verdict() : trial.verdict,
    rows: rows.length,
    failed: rows.length - answered.length,
    remaining: trial.verdict === 'undecided' ? tests.remaining() : undefined,
    metrics: plan.metrics.map((name) => metricReport(name, plan, rows, tests)),
    cost: {
      baseline: meanOf(priced.map((row) => Number(row.cost_nano))),
      candidate: meanOf(priced.map((row) => Number(row.candidate_cost_nano))),
    },
    scoringCost: rows.reduce((sum, row) => sum + row.scoring_cost_nano, 0n),
    p50Ms: both(durations, 0.5),
    p95Ms: both(durations, 0.95),
    firstP50Ms: both(firsts, 0.5),
    skipped: await records.skips(trial.id),
  };
}

function metricReport(
  name: string,
  plan: TrialPlan,
  rows: readonly NumberedRow[],
  { tests }: TrialTests,
): MetricReport {
  const pairs = rows.flatMap(({ scores }) => {
    const pair = Object.hasOwn(scores, name) ? scores[name] : undefined;
    return pair ? [pair] : [];
  });
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

const meanOf = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const both = ([one = [], other = []]: readonly (readonly number[])[], share: number): BothValues => ({
  baseline: percentileOf(one, share),
  candidate: percentileOf(other, share),
});

function percentileOf(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
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
  return remaining === undefined ? 'undecided' : `undecided: about ${remaining} more rows`;
}
