import type { Datasets } from '../datasets/dataset.ts';
import type { Job } from '../jobs/job.ts';
import type { WorkflowDetails } from './workflow.ts';

/**
 * All of a workflow's results as one JSON text. It is generated while being sent, column by column from the
 * stored rows, so nothing is stored twice and the result does not have to fit into memory.
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
        // Clients find the outputs under this name, whatever the column is called.
        const shown = name === outputField ? 'predictions' : name;
        if (shown === 'predictions' && name !== outputField) continue;
        yield ',';
        yield* column(datasets, job.outputId, name, shown);
      }
    }
  }
  yield '}}';
}

/** Score columns that repeat the outputs. */
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

/** All columns in a set of rows. A row without a score for a metric lacks that column, so all rows are read. */
async function columnsOf(datasets: Datasets, setId: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { rows } of datasets.rows(setId)) {
    for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  }
  return [...names];
}
