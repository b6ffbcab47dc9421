import type { Datasets } from '../datasets/dataset.ts';
import type { Job } from '../jobs/job.ts';
import type { WorkflowDetails } from './workflow.ts';

/**
 * All that a workflow came to, as one JSON text: made as it is sent, column after column from the rows where they lie, so that
 * nothing of it is stored twice and none of it has to fit into memory.
 */
export async function* compiledResults(
  workflow: WorkflowDetails,
  datasets: Datasets,
): AsyncGenerator<string, void> {
  const jobs = workflow.jobs.filter(({ status }) => status === 'succeeded').toReversed();
  const details = Object.fromEntries(jobs.map(({ spec, result }) => [spec.type, result?.details ?? null]));
  yield `{"metrics":${JSON.stringify(workflow.metrics)}`;
  yield `,"parameters":${JSON.stringify(parametersOf(jobs))}`;
  yield `,"details":${JSON.stringify(details)}`;
  yield `,"artifacts":{"model":${JSON.stringify(workflow.plan.model)}`;
  for (const { spec, startedAt, endedAt } of jobs) {
    const seconds = startedAt === null || endedAt === null ? null : (endedAt - startedAt) / 1000;
    yield `,${JSON.stringify(`${spec.type}_time`)}:${JSON.stringify(seconds)}`;
  }
  const { outputField } = workflow.plan.inference;
  for (const job of jobs) {
    if (job.outputId === null) continue;
    if (job.spec.type === 'evaluation') {
      yield ',"scores":{';
      const names = await columnsOf(datasets, job.outputId);
      for (const [at, name] of names.filter((column) => !NO_SCORES.has(column)).entries()) {
        yield at === 0 ? '' : ',';
        yield* column(datasets, job.outputId, name, name);
      }
      yield '}';
    } else {
      const names = (await datasets.get('everyone', job.outputId)).columns;
      for (const name of names) {
        // Whatever the column is called, clients find it here.
        const shown = name === outputField ? 'predictions' : name;
        if (shown === 'predictions' && name !== outputField) continue;
        yield ',';
        yield* column(datasets, job.outputId, name, shown);
      }
    }
  }
  yield '}}';
}

/** Beside the scores, they say again what the answers are. */
const NO_SCORES: ReadonlySet<string> = new Set(['ground_truth', 'predictions']);

export const parametersOf = (jobs: readonly Job[]): object =>
  Object.assign({}, ...jobs.map(({ spec, result }) => ({ [spec.type]: result?.parameters ?? null })));

async function* column(
  datasets: Datasets,
  setId: string,
  name: string,
  shown: string,
): AsyncGenerator<string, void> {
  yield `${JSON.stringify(shown)}:[`;
  for await (const { firstRow, rows } of datasets.rows(setId)) {
    const values = rows.map((row) => JSON.stringify(row[name] ?? null)).join(',');
    yield firstRow === 0 ? values : `,${values}`;
  }
  yield ']';
}

/** A row in which a metric could not be told has no such column, so one row does not know them all. */
async function columnsOf(datasets: Datasets, setId: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { rows } of datasets.rows(setId)) {
    for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  }
  return [...names];
}
