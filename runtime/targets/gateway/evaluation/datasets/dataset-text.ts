import type { DatasetCell, Dataset, Datasets } from './dataset.ts';

/** A dataset's text as a file, chunk by chunk. */
export async function* datasetText(
  { id, columns }: Pick<Dataset, 'id' | 'columns'>,
  datasets: Pick<Datasets, 'rows'>,
  extension: 'csv' | 'jsonl',
): AsyncGenerator<string, void> {
  if (extension === 'jsonl') {
    yield* jsonLines(datasets, id);
    return;
  }
  yield `${columns.map(csvCell).join(',')}\r\n`;
  for await (const { rows } of datasets.rows(id)) {
    const lines = rows.map((row) => `${columns.map((name) => csvCell(row[name] ?? null)).join(',')}\r\n`);
    yield lines.join('');
  }
}

/** A dataset's rows as JSON Lines. Rows can have different columns. */
export async function* jsonLines(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
): AsyncGenerator<string, void> {
  for await (const { rows } of datasets.rows(setId)) {
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

function csvCell(cell: DatasetCell): string {
  const text = cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
