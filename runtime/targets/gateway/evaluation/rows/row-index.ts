import { imageName } from '../../store/image-name.ts';
import { isObject } from '#core/json/is-object.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { GROUND_TRUTH } from '../datasets/check-row.ts';
import type { DatasetCell, Datasets, RowCells } from '../datasets/dataset.ts';
import { sampleSize } from '../experiments/sample/choose-rows.ts';
import type { Experiment } from '../experiments/experiment.ts';
import type { Job } from '../jobs/job.ts';
import { scoresOf, cellText } from '../work/evaluation/read-cells.ts';
import { textOfRow } from '../work/inference/words.ts';
import { EVALUATED_TASKS, returnsVectors } from '../work/tasks/index.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';

/** A model's rows by row number; null for rows that the model has not reached yet. */
export interface IndexedModel {
  readonly id: string;
  readonly name: string;
  readonly answers: (DatasetCell | undefined)[];
  readonly errors: (string | null)[];
  /** Milliseconds; NaN if unknown. */
  readonly latency: Float64Array;
  /** Scores by metric; NaN for rows without a score. */
  readonly scores: Map<string, Float64Array>;
  /** The judges' reasons by metric. */
  readonly reasons: (Readonly<Record<string, string>> | undefined)[];
  /** The model's score for each label; NaN for rows without one. */
  readonly labelScores: Map<string, Float64Array>;
}

/** All of an experiment's rows in memory, so that they can be searched and sorted without rereading them. */
export interface RowIndex {
  readonly size: number;
  /** Whether the examples are images, of which only the names are in memory. */
  readonly readsImages: boolean;
  readonly examples: string[];
  readonly truths: DatasetCell[];
  readonly models: readonly IndexedModel[];
  /** Each row's text in lower case: the example, the ground truth, and all responses. */
  readonly texts: string[];
  /** 1 for rows where the responses differ. */
  readonly differs: Uint8Array;
}

/** Maximum number of an experiment's rows in memory. */
const MAX_ROWS = 200_000;
/** Longer texts are truncated, so that a large dataset fits into memory. */
const MAX_TEXT_LENGTH = 4000;
/** Members of score rows that are texts. */
const REASON_SUFFIX = '_reason';

/** Reads all of an experiment's rows: examples, responses and scores. */
export async function readRowIndex(
  { task, datasetId, maxSamples }: Experiment,
  workflows: readonly WorkflowDetails[],
  datasets: Pick<Datasets, 'rows' | 'output'>,
): Promise<RowIndex> {
  const { rowCount } = await datasets.output(datasetId);
  const size = Math.min(MAX_ROWS, sampleSize(rowCount, maxSamples));
  const examples = Array.from({ length: size }, () => '');
  const truths: DatasetCell[] = Array.from({ length: size }, () => null);
  await eachRow(datasets, datasetId, size, (row, at) => {
    const example = textOfRow(row);
    examples[at] = imageName(example) ?? example.slice(0, MAX_TEXT_LENGTH);
    truths[at] = shortCell(row[GROUND_TRUTH] ?? null);
  });
  const models: IndexedModel[] = [];
  for (const workflow of workflows) {
    const field = returnsVectors(task) ? undefined : workflow.plan.inference.outputField;
    models.push(await readModel(workflow, field, size, datasets));
  }
  const { readsImages = false } = EVALUATED_TASKS[task.task];
  return { size, readsImages, examples, truths, models, ...(await textsOf(examples, truths, models)) };
}

async function readModel(
  { id, name, jobs }: WorkflowDetails,
  field: string | undefined,
  size: number,
  datasets: Pick<Datasets, 'rows'>,
): Promise<IndexedModel> {
  const model: IndexedModel = {
    id,
    name,
    answers: Array.from({ length: size }),
    errors: Array.from({ length: size }, () => null),
    latency: new Float64Array(size).fill(Number.NaN),
    scores: new Map(),
    reasons: Array.from({ length: size }),
    labelScores: new Map(),
  };
  const inference = outputOf(jobs, 'inference');
  if (inference !== null) {
    await eachRow(datasets, inference, size, (row, at) => {
      if (field !== undefined) model.answers[at] = shortCell(row[field] ?? null);
      const { error, latency_ms: latency } = row;
      if (typeof error === 'string' && error !== '') model.errors[at] = error.slice(0, MAX_TEXT_LENGTH);
      if (typeof latency === 'number') model.latency[at] = latency;
      for (const [label, score] of Object.entries(scoresOf(row) ?? {})) {
        columnOf(model.labelScores, label, size)[at] = score;
      }
    });
  }
  const evaluation = outputOf(jobs, 'evaluation');
  if (evaluation !== null) {
    const answer = field ?? '';
    await eachRow(datasets, evaluation, size, (row, at) => {
      for (const [metric, value] of Object.entries(row)) {
        if (metric === answer || metric === GROUND_TRUTH) continue;
        if (typeof value === 'number') columnOf(model.scores, metric, size)[at] = value;
        else if (typeof value === 'string' && metric.endsWith(REASON_SUFFIX)) {
          model.reasons[at] = {
            ...model.reasons[at],
            [metric.slice(0, -REASON_SUFFIX.length)]: value,
          };
        }
      }
    });
  }
  return model;
}

/** Output of the newest job of a type, even before the job has ended. */
const outputOf = (jobs: readonly Job[], type: Job['spec']['type']): string | null =>
  jobs.find(({ spec }) => spec.type === type)?.outputId ?? null;

async function eachRow(
  datasets: Pick<Datasets, 'rows'>,
  id: string,
  size: number,
  read: (row: RowCells, at: number) => void,
): Promise<void> {
  for await (const { firstRow, rows } of datasets.rows(id)) {
    for (const [at, row] of rows.entries()) if (firstRow + at < size) read(row, firstRow + at);
    if (firstRow + rows.length >= size) return;
  }
}

function columnOf(columns: Map<string, Float64Array>, name: string, size: number): Float64Array {
  const found = columns.get(name) ?? new Float64Array(size).fill(Number.NaN);
  columns.set(name, found);
  return found;
}

function shortCell(cell: DatasetCell): DatasetCell {
  if (typeof cell === 'string') return cell.slice(0, MAX_TEXT_LENGTH);
  if (Array.isArray(cell) || isObject(cell)) {
    const text = JSON.stringify(cell);
    return text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : cell;
  }
  return cell;
}

async function textsOf(
  examples: readonly string[],
  truths: readonly DatasetCell[],
  models: readonly IndexedModel[],
): Promise<Pick<RowIndex, 'texts' | 'differs'>> {
  const yieldToOthers = createYielder();
  const differs = new Uint8Array(examples.length);
  const texts: string[] = [];
  for (const [at, example] of examples.entries()) {
    if (at % 256 === 0) await yieldToOthers();
    const answers = models.map(({ answers: all }) => all[at]);
    texts.push([example, ...[truths[at], ...answers].map(cellText)].join('\n').toLowerCase());
    // A model that has not reached the row does not count as different.
    const known = answers.filter((answer) => answer !== undefined).map((answer) => JSON.stringify(answer));
    differs[at] = new Set(known).size > 1 ? 1 : 0;
  }
  return { texts, differs };
}
