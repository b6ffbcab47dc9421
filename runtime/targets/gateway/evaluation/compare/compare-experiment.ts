import { dollarsOf } from '../../shared/money.ts';
import { memberOf } from '#core/values/member-of.ts';
import { percentile } from '../metrics/compare/percentile.ts';
import { scoreInterval } from '../metrics/compare/score-interval.ts';
import { runYielding } from '#platform/run-yielding.ts';
import type { Datasets } from '../datasets/dataset.ts';
import type { Experiment } from '../experiments/experiment.ts';
import type { Job } from '../jobs/job.ts';
import { payingUser } from '../jobs/standing.ts';
import type { UsageReports } from '../../accounts/ledger/usage-api.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import { failuresOf } from '../work/evaluation/failures-of.ts';
import type { ComparedMetric, ComparedWorkflow, Comparison, Latency } from './comparison.ts';
import { comparePairs, type Scored } from './compare-pairs.ts';
import { findDisagreements } from './disagreements.ts';
import { compareRepeats } from './repeats.ts';
import { rowScores } from './row-scores.ts';

export interface CompareParts {
  readonly datasets: Pick<Datasets, 'rows'>;
  readonly usage: Pick<UsageReports, 'totals'>;
}

/** Compares the results of all workflows of an experiment. Failed workflows are included with their error. */
export async function compareExperiment(
  experiment: Experiment,
  all: readonly WorkflowDetails[],
  maxDisagreements: number,
  parts: CompareParts,
): Promise<Comparison> {
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

/** The last succeeded job of a type, in a succeeded workflow. */
function succeeded({ jobs, status }: WorkflowDetails, type: Job['spec']['type']): Job | undefined {
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

/** The cost of all requests of the jobs in dollars, including failed ones. Null if a model that answered has no price. */
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
): Promise<Comparison['disagreements']> {
  // Vectors of two models always differ, so a comparison has no meaning.
  if (task.task === 'feature-extraction') return null;
  const answers = all.flatMap((workflow) => {
    const job = succeeded(workflow, 'inference');
    const field = workflow.plan.inference.outputField;
    return job?.outputId ? [{ workflowId: workflow.id, datasetId: job.outputId, field }] : [];
  });
  return answers.length < 2 ? null : await findDisagreements(datasets, answers, maxItems);
}

const LATENCY_COLUMN = 'latency_ms';

/** Latency of the rows that a model has answered; null if no row has one. */
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
