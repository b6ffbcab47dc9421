import type { Dataset, Datasets } from '../../datasets/dataset.ts';
import { jsonLines } from '../../datasets/dataset-text.ts';
import type { ColumnMapping } from '../../datasets/column-mapping.ts';

/** Stores a dataset with other names of columns as a dataset of its own, so that all models and later readers have the same rows. */
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
