import type { Row, RowChunk } from './dataset.ts';

/** Size of a chunk: large enough that few values are written, and small enough to read it for a single row. */
const CHUNK_CHARACTERS = 256 * 1024;
const MAX_CHUNK_ROWS = 1000;

/** Groups rows into chunks for storage. */
export async function* chunkRows(rows: AsyncIterable<Row>): AsyncGenerator<RowChunk, void> {
  let waiting: Row[] = [];
  let characters = 0;
  let firstRow = 0;
  for await (const row of rows) {
    waiting.push(row);
    characters += JSON.stringify(row).length;
    if (characters < CHUNK_CHARACTERS && waiting.length < MAX_CHUNK_ROWS) continue;
    yield { firstRow, rows: waiting };
    firstRow += waiting.length;
    waiting = [];
    characters = 0;
  }
  if (waiting.length > 0) yield { firstRow, rows: waiting };
}
