import type { Row, RowChunk } from '../../datasets/dataset.ts';

/** Small batches lie in small chunks, and each question costs time; who has enough rows for a while is content. */
const ENOUGH_ROWS = 1000;
const ENOUGH_CHARACTERS = 256 * 1024;

/** The next rows, as many as are good to send at once. */
export async function rowsFrom(chunks: AsyncIterable<RowChunk>, most: number): Promise<readonly Row[]> {
  const found: Row[] = [];
  let characters = 0;
  if (most <= 0) return found;
  for await (const { rows } of chunks) {
    found.push(...rows.slice(0, most - found.length));
    characters += rows.length < ENOUGH_ROWS ? JSON.stringify(rows).length : ENOUGH_CHARACTERS;
    if (found.length >= Math.min(most, ENOUGH_ROWS) || characters >= ENOUGH_CHARACTERS) break;
  }
  return found;
}
