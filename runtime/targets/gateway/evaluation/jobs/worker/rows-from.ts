import type { RowCells, RowChunk } from '../../datasets/dataset.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Response size at which no further chunks are added. Chunks can be small, and every request takes time. */
const ENOUGH_ROWS = 1000;
const ENOUGH_CHARACTERS = 256 * 1024;

/** The next rows for a worker, at most `limit`, in a response of reasonable size. */
export async function rowsFrom(chunks: AsyncIterable<RowChunk>, limit: number): Promise<readonly RowCells[]> {
  const found: RowCells[] = [];
  let characters = 0;
  if (limit <= 0) return found;
  for await (const { rows } of chunks) {
    pushAll(found, rows.slice(0, limit - found.length));
    characters += rows.length < ENOUGH_ROWS ? JSON.stringify(rows).length : ENOUGH_CHARACTERS;
    if (found.length >= Math.min(limit, ENOUGH_ROWS) || characters >= ENOUGH_CHARACTERS) break;
  }
  return found;
}
