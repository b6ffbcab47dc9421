import type { Cell, Dataset, Datasets } from './dataset.ts';

/** The rows as a file has them, a chunk at a time. */
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

/** Of rows that need not have the same columns. */
export async function* jsonLines(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
): AsyncGenerator<string, void> {
  for await (const { rows } of datasets.rows(setId)) {
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

function csvCell(cell: Cell): string {
  const text = cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
