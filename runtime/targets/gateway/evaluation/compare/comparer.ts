import type { Experiment } from '../experiments/experiment.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import { isActive } from '../workflows/workflow-row.ts';
import type {
  ModelComparison,
  ComparedMetric,
  ComparedWorkflow,
  Latency,
  ComparedPair,
  ComparedRepeats,
  Spread,
  Disagreement,
} from './comparison.ts';
import { dollarsOf } from '../../shared/money.ts';
import { memberOf } from '#core/values/member-of.ts';
import { percentile } from '../metrics/compare/bootstrap.ts';
import { scoreInterval, comparePair, holm } from '../metrics/compare/compare-pair.ts';
import { runYielding } from '#platform/run-yielding.ts';
import type { Datasets, RowCells } from '../datasets/dataset.ts';
import type { Job } from '../jobs/job.ts';
import { payingUser } from '../jobs/standing.ts';
import type { UsageReports } from '../../accounts/ledger/usage-api.ts';
import { failuresOf } from '../work/evaluation/scorer.ts';
import { pushAll } from '#core/values/push-all.ts';
import { greatest, least } from '#core/numbers/extremes.ts';
import { GROUND_TRUTH } from '../datasets/check-row.ts';
import { textOfRow } from '../work/inference/words.ts';
import { returnsVectors } from '../work/tasks/index.ts';

/**
 * Compares an experiment's workflows. The result contains at most `maxDisagreements` rows where the models
 * disagree.
 */
export type Comparer = (
  experiment: Experiment,
  all: readonly WorkflowDetails[],
  maxDisagreements: number,
) => Promise<ModelComparison>;

const MAX_CACHED = 8;
/** Comparisons with more disagreements are too large for the cache. */
const MAX_CACHED_DISAGREEMENTS = 100;

/**
 * Caches the latest comparisons. The results of finished workflows do not change, and comparing many rows
 * takes seconds of CPU time. Concurrent requests for the same comparison share one computation.
 */
export function createComparer(parts: CompareParts): Comparer {
  const cache = new Map<string, Promise<ModelComparison>>();
  return (experiment, all, maxDisagreements) => {
    if (all.some(isActive) || maxDisagreements > MAX_CACHED_DISAGREEMENTS) {
      return compareExperiment(experiment, all, maxDisagreements, parts);
    }
    // Retrying or renaming a workflow changes its `updatedAt`.
    const key = JSON.stringify([
      experiment.id,
      experiment.updatedAt,
      maxDisagreements,
      all.map(({ id, updatedAt }) => [id, updatedAt]),
    ]);
    const comparison = cache.get(key) ?? compareExperiment(experiment, all, maxDisagreements, parts);
    comparison.catch(() => cache.delete(key));
    cache.delete(key);
    cache.set(key, comparison);
    for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest);
    return comparison;
  };
}

interface CompareParts {
  readonly datasets: Pick<Datasets, 'rows'>;
  readonly usage: Pick<UsageReports, 'totals'>;
}

/** Compares the results of all workflows in an experiment. Failed workflows are included with their error. */
async function compareExperiment(
  experiment: Experiment,
  all: readonly WorkflowDetails[],
  maxDisagreements: number,
  parts: CompareParts,
): Promise<ModelComparison> {
  const { datasets } = parts;
  const workflows: ComparedWorkflow[] = [];
  const scored: Scored[] = [];
  for (const workflow of all) {
    const evaluation = succeeded(workflow, 'evaluation');
    const values = evaluation?.result?.metrics ?? {};
    const scores = evaluation?.outputId
      ? await rowScores(datasets, evaluation.outputId, {
          rows: evaluation.totalRows,
          metrics: Object.keys(values),
        })
      : new Map<string, Float64Array>();
    const metrics = await withIntervals(values, scores, answeredRows(inferenceOf(workflow)));
    workflows.push(await comparedWorkflow(workflow, metrics, parts));
    if (evaluation) scored.push({ id: workflow.id, scores });
  }
  const metrics = [...new Set(workflows.flatMap((workflow) => Object.keys(workflow.metrics)))].sort();
  return {
    experiment,
    partial: workflows.some(({ status }) => status !== 'succeeded'),
    metrics,
    workflows,
    pairs: await comparePairs(scored, metrics),
    repeats: compareRepeats(all, workflows),
    disagreements: await disagreementsOf(experiment, all, maxDisagreements, parts),
  };
}

/** The last successful job of a type in a successful workflow. */
export function succeeded({ jobs, status }: WorkflowDetails, type: Job['spec']['type']): Job | undefined {
  if (status !== 'succeeded') return undefined;
  return jobs.find((job) => job.spec.type === type && job.status === 'succeeded');
}

async function withIntervals(
  values: Readonly<Record<string, number>>,
  scores: ReadonlyMap<string, Float64Array>,
  answered: number,
): Promise<Record<string, ComparedMetric>> {
  const metrics: Record<string, ComparedMetric> = {};
  for (const [name, value] of Object.entries(values)) {
    const { rows, interval } = await runYielding(scoreInterval(scores.get(name) ?? new Float64Array()));
    metrics[name] = { value, rows, answered, interval };
  }
  return metrics;
}

async function comparedWorkflow(
  workflow: WorkflowDetails,
  metrics: Record<string, ComparedMetric>,
  { datasets, usage }: CompareParts,
): Promise<ComparedWorkflow> {
  const { plan, jobs } = workflow;
  const inference = inferenceOf(workflow);
  const evaluation = jobs.find(({ spec }) => spec.type === 'evaluation');
  const answered = answeredRows(inference);
  const cachedRows = countIn(inference, 'cached_rows');
  const tokens = (inference?.promptTokens ?? 0) + (inference?.completionTokens ?? 0);
  const answers = succeeded(workflow, 'inference');
  const isGatewayModel = plan.inference.backend.kind === 'gateway';
  const ofAnswers = isGatewayModel && inference ? await costOf([inference], usage) : null;
  return {
    id: workflow.id,
    name: workflow.name,
    model: plan.model,
    provider: plan.provider,
    status: workflow.status,
    error: workflow.error,
    rows: inference?.totalRows ?? plan.rows,
    failedRows: inference?.failedRows ?? 0,
    answeredRows: answered,
    cachedRows,
    cachedVerdicts: countIn(evaluation, 'cached_verdicts'),
    unscoredRows: evaluation?.failedRows ?? 0,
    failures: failuresOf(plan.evaluation),
    metrics,
    cost: isGatewayModel ? await costOf(jobs, usage) : null,
    costPerRow: ofAnswers === null ? null : ratio(ofAnswers, answered - cachedRows),
    tokensPerRow: ratio(tokens, answered),
    rowsPerSecond: inference?.result?.metrics['rows_per_second'] ?? null,
    promptTokens: inference?.promptTokens ?? 0,
    completionTokens: inference?.completionTokens ?? 0,
    latency: answers?.outputId ? await latencyOf(datasets, answers.outputId, answers.totalRows) : null,
    seconds: secondsOf(inference),
  };
}

const inferenceOf = ({ jobs }: WorkflowDetails): Job | undefined =>
  jobs.find(({ spec }) => spec.type === 'inference');

const answeredRows = (job: Job | undefined): number => (job ? job.doneRows - job.failedRows : 0);

function countIn(job: Job | undefined, name: string): number {
  const count = memberOf(job?.result?.details, name);
  return typeof count === 'number' ? count : 0;
}

const ratio = (sum: number, rows: number): number | null => (rows > 0 ? sum / rows : null);

/**
 * The total cost of the jobs' requests in dollars, including failed ones. Null if a model that responded has
 * no price.
 */
async function costOf(jobs: readonly Job[], usage: CompareParts['usage']): Promise<number | null> {
  const sums = await Promise.all(
    jobs.map((job) => usage.totals({ requestId: job.id, userId: payingUser(job), from: job.createdAt })),
  );
  if (sums.some(({ unpriced }) => unpriced > 0)) return null;
  return dollarsOf(sums.reduce((sum, { cost }) => sum + cost, 0n));
}

const secondsOf = (job: Job | undefined): number | null =>
  job?.startedAt && job.endedAt ? (job.endedAt - job.startedAt) / 1000 : null;

async function disagreementsOf(
  { task }: Experiment,
  all: readonly WorkflowDetails[],
  maxItems: number,
  { datasets }: CompareParts,
): Promise<ModelComparison['disagreements']> {
  // Two models' vectors always differ, so comparing them is meaningless.
  if (returnsVectors(task)) return null;
  const answers = all.flatMap((workflow) => {
    const job = succeeded(workflow, 'inference');
    const field = workflow.plan.inference.outputField;
    return job?.outputId ? [{ workflowId: workflow.id, datasetId: job.outputId, field }] : [];
  });
  return answers.length < 2 ? null : await findDisagreements(datasets, answers, maxItems);
}

const LATENCY_COLUMN = 'latency_ms';

/** Latency of the rows that a model responded to; null if there are none. */
async function latencyOf(
  datasets: Pick<Datasets, 'rows'>,
  datasetId: string,
  rows: number,
): Promise<Latency | null> {
  const all = (await rowScores(datasets, datasetId, { rows, metrics: [LATENCY_COLUMN] })).get(LATENCY_COLUMN);
  const known = all?.filter((time) => !Number.isNaN(time)).sort() ?? new Float64Array();
  if (known.length === 0) return null;
  const mean = known.reduce((sum, time) => sum + time, 0) / known.length;
  return { mean, p50: percentile(known, 0.5), p95: percentile(known, 0.95) };
}

/** Maximum number of rows for intervals and tests. More rows would hardly change the result. */
const MAX_ROWS = 200_000;

/** Row scores by metric; NaN for a row without a score. */
export async function rowScores(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
  { rows, metrics }: { readonly rows: number; readonly metrics: readonly string[] },
): Promise<ReadonlyMap<string, Float64Array>> {
  const size = Math.min(rows, MAX_ROWS);
  const found = new Map(metrics.map((name) => [name, new Float64Array(size).fill(NaN)]));
  for await (const { firstRow, rows: chunk } of datasets.rows(setId)) {
    for (const [name, scores] of found) {
      for (const [at, row] of chunk.entries()) {
        const score = row[name];
        if (typeof score === 'number' && firstRow + at < size) scores[firstRow + at] = score;
      }
    }
    if (firstRow + chunk.length >= size) break;
  }
  return found;
}

interface Scored {
  readonly id: string;
  /** Row scores by metric. */
  readonly scores: ReadonlyMap<string, Float64Array>;
}

/**
 * Maximum number of models for which all pairs are compared. With more models, each is only compared with the
 * first one.
 */
const MAX_FOR_ALL_PAIRS = 8;

/** Compares pairs of models in every metric for which both have row scores. */
async function comparePairs(
  all: readonly Scored[],
  metrics: readonly string[],
): Promise<readonly ComparedPair[]> {
  const found: ComparedPair[] = [];
  for (const metric of metrics) {
    const ofMetric: Omit<ComparedPair, 'adjusted'>[] = [];
    for (const [first, second] of pairsOf(all)) {
      const [one, other] = [first.scores.get(metric), second.scores.get(metric)];
      if (!one || !other || one.length !== other.length) continue;
      const compared = await runYielding(comparePair(one, other));
      if (compared.rows > 0) ofMetric.push({ metric, first: first.id, second: second.id, ...compared });
    }
    const adjusted = holm(ofMetric.map(({ p_value: p }) => p ?? 1));
    pushAll(
      found,
      ofMetric.map((pair, at) => ({ ...pair, adjusted: adjusted[at] ?? null })),
    );
  }
  return found;
}

function pairsOf(all: readonly Scored[]): readonly (readonly [Scored, Scored])[] {
  const firsts = all.length <= MAX_FOR_ALL_PAIRS ? all : all.slice(0, 1);
  return firsts.flatMap((first, at) => all.slice(at + 1).map((second) => [first, second] as const));
}

/** The means over repetitions, for models with at least two successful ones. */
function compareRepeats(
  all: readonly WorkflowDetails[],
  compared: readonly ComparedWorkflow[],
): readonly ComparedRepeats[] {
  const succeeded = all.filter(({ status }) => status === 'succeeded');
  return [...Map.groupBy(succeeded, settingsOf).values()].flatMap((group): readonly ComparedRepeats[] => {
    const [first] = group;
    if (first === undefined || group.length < 2) return [];
    const workflows = compared.filter(({ id }) => group.some((workflow) => workflow.id === id));
    const names = Object.keys(workflows[0]?.metrics ?? {}).filter((name) =>
      workflows.every(({ metrics }) => metrics[name] !== undefined),
    );
    const metrics = names.map((name) => [
      name,
      spreadOf(workflows.map((workflow) => workflow.metrics[name]?.value ?? 0)),
    ]);
    return [
      {
        name: first.name,
        workflowIds: group.map(({ id }) => id),
        metrics: Object.fromEntries(metrics) as ComparedRepeats['metrics'],
      },
    ];
  });
}

/** The settings without the repetition number. */
const settingsOf = ({ plan: { model, provider, inference, evaluation } }: WorkflowDetails): string =>
  JSON.stringify([model, provider, { ...inference, repeat: undefined }, evaluation]);

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    deviation: Math.sqrt(squares / (values.length - 1)),
    min: least(values),
    max: greatest(values),
  };
}

interface Answers {
  readonly workflowId: string;
  readonly datasetId: string;
  readonly field: string;
}

const MAX_EXAMPLE_LENGTH = 2000;

/** Counts rows where the models disagree and returns the first ones. All datasets must have the same rows. */
async function findDisagreements(
  datasets: Pick<Datasets, 'rows'>,
  all: readonly Answers[],
  maxItems: number,
): Promise<{ readonly total: number; readonly items: readonly Disagreement[] }> {
  const items: Disagreement[] = [];
  let total = 0;
  const readers = all.map(({ datasetId }) => rowsOf(datasets, datasetId));
  try {
    for (let number = 1; ; number += 1) {
      const read = await Promise.all(readers.map((reader) => reader.next()));
      const rows = read.flatMap((one) => (one.done === true ? [] : [one.value]));
      if (rows.length < all.length) return { total, items };
      const answers = all.map(
        ({ workflowId, field }, at) => [workflowId, rows[at]?.[field] ?? null] as const,
      );
      const [first, ...others] = answers.map(([, answer]) => JSON.stringify(answer));
      if (others.every((other) => other === first)) continue;
      total += 1;
      if (items.length < maxItems)
        items.push(disagreementOf(number, rows[0] ?? {}, Object.fromEntries(answers)));
    }
  } finally {
    for (const reader of readers) await reader.return();
  }
}

const disagreementOf = (row: number, first: RowCells, answers: Disagreement['answers']): Disagreement => ({
  row,
  example: textOfRow(first).slice(0, MAX_EXAMPLE_LENGTH),
  groundTruth: first[GROUND_TRUTH] ?? null,
  answers,
});

async function* rowsOf(datasets: Pick<Datasets, 'rows'>, id: string): AsyncGenerator<RowCells, void> {
  for await (const { rows } of datasets.rows(id)) yield* rows;
}
