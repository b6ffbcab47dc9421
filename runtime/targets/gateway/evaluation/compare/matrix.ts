import { inputError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { runYielding } from '#platform/run-yielding.ts';
import type { Datasets } from '../datasets/dataset.ts';
import { frontierShares, onFrontier } from '../metrics/compare/frontier.ts';
import { isLowerBetter } from '../metrics/lower-is-better.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import type { Amount } from './amounts.ts';
import type { ComparedWorkflow, ModelComparison } from './comparison.ts';
import { rowScores, succeeded } from './comparer.ts';

/** The workflows with one prompt and one model. They are several only if the run was repeated. */
export interface MatrixCell {
  readonly prompt: string;
  readonly model: string;
  readonly workflowIds: readonly string[];
  /** Whether all have succeeded. */
  readonly isComplete: boolean;
  /** Mean over the repeats; null without a value. */
  readonly value: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly costPerRow: number | null;
  readonly latencyMs: number | null;
  readonly tokensPerRow: number | null;
  /** Whether no other cell is both better and cheaper; null without a value or an amount. */
  readonly isOnFrontier: boolean | null;
  /** Share of bootstrap resamples in which the cell is on the frontier; null for metrics without row scores. */
  readonly frontierShare: number | null;
}

export interface Matrix {
  readonly name: string;
  readonly metric: string | null;
  readonly isHigherBetter: boolean;
  readonly by: Amount;
  readonly prompts: readonly string[];
  readonly models: readonly string[];
  readonly cells: readonly MatrixCell[];
}

interface Cell extends Omit<MatrixCell, 'isOnFrontier' | 'frontierShare'> {
  readonly all: readonly WorkflowDetails[];
}

/** Arranges an experiment's workflows by prompt and model. Throws an InputError for an unknown metric. */
export async function matrixOf(
  { experiment, metrics, workflows: compared }: ModelComparison,
  workflows: readonly WorkflowDetails[],
  { metric: wanted, by }: { readonly metric: string | undefined; readonly by: Amount },
  datasets: Pick<Datasets, 'rows'>,
): Promise<Matrix> {
  if (wanted !== undefined && !metrics.includes(wanted)) {
    throw inputError(
      `The experiment has no metric ${JSON.stringify(wanted.slice(0, 100))}${didYouMean(wanted, metrics) || '.'} Metrics: ${metrics.join(', ') || '-'}.`,
    );
  }
  const metric =
    wanted ?? metrics.find((name) => compared.some((one) => one.metrics[name]?.interval)) ?? metrics[0];
  const prompts = named(workflows, promptKey, promptLabel);
  const models = named(workflows, modelKey, modelLabel);
  const groups = Map.groupBy(
    workflows,
    (workflow) => `${prompts.get(promptKey(workflow))}\n${models.get(modelKey(workflow))}`,
  );
  const cells = [...groups.values()].flatMap((all): readonly Cell[] => {
    const [first] = all;
    if (!first) return [];
    const ids = new Set(all.map(({ id }) => id));
    const values = valuesOf(
      compared.filter(({ id }) => ids.has(id)),
      metric,
    );
    const [prompt = '', model = ''] = [prompts.get(promptKey(first)), models.get(modelKey(first))];
    return [{ prompt, model, all, ...values }];
  });
  return {
    name: experiment.name,
    metric: metric ?? null,
    isHigherBetter: !isLowerBetter(metric ?? ''),
    by,
    prompts: [...new Set(prompts.values())],
    models: [...new Set(models.values())],
    cells: await withFrontier(cells, metric ?? '', by, datasets),
  };
}

/** The settings of a workflow's prompt. */
const promptKey = ({ plan: { systemPrompt, inference } }: WorkflowDetails): string =>
  JSON.stringify([systemPrompt, inference.prompt ?? null, inference.fewShot ?? null]);

/** The settings of a workflow's model. */
const modelKey = ({ plan: { provider, model, inference } }: WorkflowDetails): string =>
  JSON.stringify([provider, model, inference.backend, inference.generation]);

const MAX_LABEL_LENGTH = 60;

const promptLabel = ({ plan: { promptName, systemPrompt, inference } }: WorkflowDetails): string =>
  (promptName ?? inference.prompt ?? systemPrompt).slice(0, MAX_LABEL_LENGTH) || 'default';

/** The name of a workflow without its prompt and repetition, as an experiment file adds them. */
function modelLabel({ name, plan: { promptName, model, inference } }: WorkflowDetails): string {
  const withoutRepeat = inference.repeat === undefined ? name : name.replace(/ #\d+$/, '');
  if (promptName === undefined) return withoutRepeat === '' ? model : withoutRepeat;
  const suffix = ` (${promptName})`;
  return withoutRepeat.endsWith(suffix) ? withoutRepeat.slice(0, -suffix.length) : model;
}

/** A distinct label for each key. Equal labels get a number. */
function named(
  workflows: readonly WorkflowDetails[],
  keyOf: (workflow: WorkflowDetails) => string,
  labelOf: (workflow: WorkflowDetails) => string,
): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  const used = new Set<string>();
  for (const workflow of workflows) {
    const key = keyOf(workflow);
    if (labels.has(key)) continue;
    const label = labelOf(workflow);
    let distinct = label;
    for (let number = 2; used.has(distinct); number++) distinct = `${label} (${number})`;
    used.add(distinct);
    labels.set(key, distinct);
  }
  return labels;
}

function valuesOf(
  all: readonly ComparedWorkflow[],
  metric: string | undefined,
): Omit<Cell, 'prompt' | 'model' | 'all'> {
  const known = all.flatMap((one) => one.metrics[metric ?? ''] ?? []);
  const intervals = known.flatMap(({ interval }) => interval ?? []);
  return {
    workflowIds: all.map(({ id }) => id),
    isComplete: all.every(({ status }) => status === 'succeeded'),
    value: meanOf(known.map(({ value }) => value)),
    interval:
      intervals.length > 0 && intervals.length === known.length
        ? {
            low: meanOf(intervals.map(({ low }) => low)) ?? 0,
            high: meanOf(intervals.map(({ high }) => high)) ?? 0,
          }
        : null,
    costPerRow: meanOf(all.map(({ costPerRow }) => costPerRow)),
    latencyMs: meanOf(all.map(({ latency }) => latency?.p50 ?? null)),
    tokensPerRow: meanOf(all.map(({ tokensPerRow }) => tokensPerRow)),
  };
}

/** The mean; null if there are no numbers or one is unknown. */
function meanOf(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  if (known.length === 0 || known.length < numbers.length) return null;
  return known.reduce((sum, number) => sum + number, 0) / known.length;
}

export const amountOf = (
  cell: Pick<MatrixCell, 'costPerRow' | 'latencyMs' | 'tokensPerRow'>,
  by: Amount,
): number | null => (by === 'cost' ? cell.costPerRow : by === 'latency' ? cell.latencyMs : cell.tokensPerRow);

async function withFrontier(
  cells: readonly Cell[],
  metric: string,
  by: Amount,
  datasets: Pick<Datasets, 'rows'>,
): Promise<readonly MatrixCell[]> {
  const sign = isLowerBetter(metric) ? -1 : 1;
  const placed = cells.flatMap((cell) => {
    const amount = amountOf(cell, by);
    return amount === null || cell.value === null ? [] : [{ cell, amount, quality: sign * cell.value }];
  });
  const isOn = onFrontier(placed);
  const scored = [];
  for (const { cell, amount } of placed) {
    const scores = await scoresOf(cell, metric, datasets);
    scored.push({ amount, scores: scores.map((score) => sign * score) });
  }
  const hasScores = scored.every(({ scores }) => scores.some((score) => !Number.isNaN(score)));
  const shares = hasScores ? await runYielding(frontierShares(scored)) : [];
  return cells.map((one) => {
    const { all: _, ...cell } = one;
    const at = placed.findIndex((other) => other.cell === one);
    return {
      ...cell,
      isOnFrontier: isOn[at] ?? null,
      frontierShare: shares[at] ?? null,
    };
  });
}

/** The scores of the rows, as means over the repeats. */
async function scoresOf(
  { all }: Cell,
  metric: string,
  datasets: Pick<Datasets, 'rows'>,
): Promise<Float64Array> {
  const columns: Float64Array[] = [];
  for (const workflow of all) {
    const job = succeeded(workflow, 'evaluation');
    if (!job?.outputId) continue;
    const scores = await rowScores(datasets, job.outputId, { rows: job.totalRows, metrics: [metric] });
    columns.push(scores.get(metric) ?? new Float64Array());
  }
  const [first = new Float64Array()] = columns;
  return first.map(
    (_score, row) => columns.reduce((sum, scores) => sum + (scores[row] ?? NaN), 0) / columns.length,
  );
}
