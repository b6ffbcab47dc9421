import { ownTurn, runYielding } from '#platform/run-yielding.ts';
import { differenceSteps } from '../../evaluation/metrics/sequential/paired-test.ts';
import {
  createRandomizedDifferences,
  type RandomizedValue,
  randomizedDifferences,
} from '../../evaluation/metrics/sequential/randomized-differences.ts';
import { meanInterval } from '../../evaluation/metrics/sequential/unbounded-intervals.ts';
import type { AbPlan, ShadowRecords, Trial, TrialPlan } from './shadow-records.ts';
import { createTestUnits, type TestUnit } from './test-units.ts';
import {
  alphaOf,
  type Comparison,
  compared,
  createMetricTests,
  meanOf,
  type MetricReport,
  quantiles,
  readRows,
  type TrialReport,
} from './trial-report.ts';

/** The tests of an A/B test, which units are added to in order. */
export function createUnitTests(plan: TrialPlan) {
  const group = createMetricTests(plan);
  const estimates = new Map(plan.metrics.map((metric) => [metric, createRandomizedDifferences()]));
  return {
    ...group,
    add(unit: TestUnit) {
      for (const [metric, test] of group.tests) {
        const estimated = estimates.get(metric)?.({ ...unit, value: unit.values[metric] });
        if (estimated) test.add(estimated.difference, estimated.bound);
      }
    },
  };
}

/** Reads the requests of an A/B test and evaluates them. */
export async function reportAb(
  records: Pick<ShadowRecords, 'rows' | 'ratings' | 'skips'>,
  trial: Trial,
  ab: AbPlan,
  now: number,
): Promise<TrialReport> {
  const { plan } = trial;
  const collected = createTestUnits(ab, plan.metrics);
  let [rows, failed, scoringCost] = [0, 0, 0n];
  await readRows(records, trial.id, 0, (row) => {
    collected.add(row);
    rows += 1;
    scoringCost += row.scoring_cost_nano;
    if (row.variant === 'candidate') failed += row.failed;
  });
  const units = collected.close(await records.ratings(trial.id, 0), now);
  const tests = createUnitTests(plan);
  for (const unit of units) tests.add(unit);
  const metrics: MetricReport[] = [];
  for (const name of plan.metrics) metrics.push(await metricReport(name, plan, units, tests));
  const alpha = 1 - plan.confidence;
  const [current, candidate] = [false, true].map((is) => units.filter((unit) => unit.isCandidate === is));
  const quantile = async (read: Reader, share: number): Promise<Comparison> => {
    // Sorting many values takes time.
    await ownTurn();
    const numbers = [current, candidate].map((arm) => (arm ?? []).flatMap((unit) => read(unit) ?? []));
    return quantiles([numbers[0] ?? [], numbers[1] ?? []], share, alpha);
  };
  return {
    trial,
    // A verdict stays even if rows were deleted since.
    verdict: trial.verdict === 'undecided' ? tests.verdict() : trial.verdict,
    rows,
    failed,
    remaining: trial.verdict === 'undecided' ? tests.remaining() : undefined,
    metrics,
    units: {
      baseline: current?.length ?? 0,
      candidate: candidate?.length ?? 0,
      waiting: collected.waiting(),
    },
    cost: meansOf(units, ({ cost }) => cost, alpha),
    scoringCost,
    p50Ms: await quantile(({ durationMs }) => durationMs, 0.5),
    p95Ms: await quantile(({ durationMs }) => durationMs, 0.95),
    firstP50Ms: await quantile(({ firstMs }) => firstMs, 0.5),
    outputTokens: meansOf(units, ({ outputTokens }) => outputTokens, alpha),
    skipped: await records.skips(trial.id),
  };
}

type Reader = (unit: TestUnit) => number | undefined;

function valueOf(unit: TestUnit, read: Reader): RandomizedValue | undefined {
  const value = read(unit);
  return value === undefined ? undefined : { isCandidate: unit.isCandidate, share: unit.share, value };
}

const valuesOf = (units: readonly TestUnit[], read: Reader): RandomizedValue[] =>
  units.flatMap((unit) => valueOf(unit, read) ?? []);

const armMean = (values: readonly RandomizedValue[], isCandidate: boolean): number | null =>
  meanOf(values.filter((one) => one.isCandidate === isCandidate).map(({ value }) => value));

/** The difference of the means, in which units are weighted by the share at their time if it has changed. */
const differenceOf = (values: readonly RandomizedValue[]): number | null => {
  const hasBoth = new Set(values.map(({ isCandidate }) => isCandidate)).size === 2;
  return hasBoth ? meanOf(randomizedDifferences(values)) : null;
};

/** Fewer units of one model say too little about its costs. */
const MIN_OF_MODEL = 50;

function meansOf(units: readonly TestUnit[], read: Reader, alpha: number): Comparison {
  const values = valuesOf(units, read);
  const candidates = values.filter((one) => one.isCandidate).length;
  const interval =
    Math.min(candidates, values.length - candidates) < MIN_OF_MODEL
      ? undefined
      : meanInterval(randomizedDifferences(values), alpha);
  return {
    ...compared(armMean(values, false), armMean(values, true), interval),
    difference: differenceOf(values),
  };
}

async function metricReport(
  name: string,
  plan: TrialPlan,
  units: readonly TestUnit[],
  { tests }: Pick<ReturnType<typeof createUnitTests>, 'tests'>,
): Promise<MetricReport> {
  const values = valuesOf(units, (unit) => unit.values[name]);
  const estimate = createRandomizedDifferences();
  const estimates = units.flatMap((unit) => estimate({ ...unit, value: unit.values[name] }) ?? []);
  const steps = differenceSteps(
    estimates.map(({ difference }) => difference),
    { alpha: alphaOf(plan), rowBounds: estimates.map(({ bound }) => bound) },
  );
  const interval = await runYielding(steps);
  return {
    name,
    decides: plan.deciding.includes(name),
    rows: values.length,
    baseline: armMean(values, false),
    candidate: armMean(values, true),
    difference: differenceOf(values),
    ...interval,
    verdict: tests.get(name)?.verdict() ?? 'undecided',
  };
}
