import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { Dataset, Datasets, RowCells, ColumnMapping } from '../../datasets/dataset.ts';
import { cellText } from '../../work/evaluation/read-cells.ts';
import { chooseRows } from './choose-rows.ts';
import { jsonLines } from '../../datasets/dataset-text.ts';

/** How an experiment's rows are selected: at random, or stratified by the ground truth. */
export interface Sampling {
  readonly method: 'random' | 'stratified';
  readonly seed: number;
}

/** Stores a sample as a separate dataset, so that all models and later readers have the same rows. */
export async function sampleDataset(
  datasets: Pick<Datasets, 'rows' | 'upload'>,
  { id, filename, owner }: Dataset,
  size: number,
  { method, seed }: Sampling,
): Promise<Dataset> {
  const groups = new Map<string, number[]>();
  for await (const { firstRow, rows } of datasets.rows(id)) {
    for (const [at, row] of rows.entries()) {
      const name = method === 'random' ? '' : cellText(row[GROUND_TRUTH]);
      const group = groups.get(name);
      if (group) group.push(firstRow + at);
      else groups.set(name, [firstRow + at]);
    }
  }
  const chosen = new Set(chooseRows([...groups.values()], size, seed));
  const base = filename.replace(/\.[^.]*$/, '');
  return await datasets.upload({
    filename: `${base}-${method}-${chosen.size}-seed-${seed}.jsonl`,
    bytes: linesOf(datasets, id, chosen),
    owner,
  });
}

async function* linesOf(
  datasets: Pick<Datasets, 'rows'>,
  id: string,
  chosen: ReadonlySet<number>,
): AsyncGenerator<Uint8Array, void> {
  for await (const { firstRow, rows } of datasets.rows(id)) {
    const found = rows.filter((_row: RowCells, at) => chosen.has(firstRow + at));
    if (found.length > 0) yield Buffer.from(found.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
}

/**
 * Stores a dataset with renamed columns as a separate dataset, so that all models and later readers have the
 * same rows.
 */
export async function renamedDataset(
  datasets: Pick<Datasets, 'rows' | 'upload'>,
  { id, filename, owner }: Dataset,
  columns: ColumnMapping,
): Promise<Dataset> {
  return await datasets.upload({
    filename: `${filename.replace(/\.[^.]*$/, '')}-renamed.jsonl`,
    bytes: bytesOf(jsonLines(datasets, id)),
    owner,
    columns,
  });
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  for await (const text of texts) yield Buffer.from(text);
}
