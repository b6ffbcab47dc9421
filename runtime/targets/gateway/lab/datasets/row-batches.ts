import type { Row, RowChunk } from './dataset.ts';

/** So much text lies together: few values to write, and little to read for one row. */
const CHARACTERS = 256 * 1024;
const MOST_ROWS = 1000;

/** Rows in runs of a size that is good to store. */
export async function* inChunks(rows: AsyncIterable<Row>): AsyncGenerator<RowChunk, void> {
  let waiting: Row[] = [];
  let characters = 0;
  let firstRow = 0;
  for await (const row of rows) {
    waiting.push(row);
    characters += JSON.stringify(row).length;
    if (characters < CHARACTERS && waiting.length < MOST_ROWS) continue;
    yield { firstRow, rows: waiting };
    firstRow += waiting.length;
    waiting = [];
    characters = 0;
  }
  if (waiting.length > 0) yield { firstRow, rows: waiting };
}
