import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import type { RowCells, RowChunk } from './dataset.ts';
import { GROUND_TRUTH, isEmptyCell } from './check-row.ts';
import { putRows, decodeRows } from './chunks.ts';

/** Number of rows merged into one chunk. */
const JOINED_ROWS = 100;
/** Maximum size of chunks to merge. Larger ones are efficient to read as they are. */
const MAX_JOINED_BYTES = 256 * 1024;

/**
 * Adds rows to a job's output, in the caller's transaction. Row count, size and columns of the dataset are
 * updated now, because rereading all rows in the transaction that ends the job would block other writers.
 */
export async function appendRows(
  db: Kysely<Schema>,
  id: string,
  chunk: RowChunk,
  /** The first of the consecutive rows that this chunk continues. */
  start = 0,
): Promise<void> {
  const { firstRow, rows } = chunk;
  await putRows(db, id, chunk);
  await joinRows(db, id, chunk, start);
  const size = rows.reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0);
  await db
    .updateTable('gateway_datasets')
    .set((row) => ({
      row_count: row('row_count', '+', rows.length),
      size: row('size', '+', size),
      ...(firstRow === 0 ? { columns: JSON.stringify(Object.keys(rows[0] ?? {})) } : {}),
      ...(rows.some((one) => isEmptyCell(one[GROUND_TRUTH])) ? { ground_truth: 0 } : {}),
    }))
    .where('id', '=', id)
    .execute();
}

/** Merges small chunks of rows that were written one by one, because reading has a cost per chunk. */
async function joinRows(
  db: Kysely<Schema>,
  setId: string,
  { firstRow, rows }: RowChunk,
  start: number,
): Promise<void> {
  const block = firstRow - (firstRow % JOINED_ROWS);
  const end = firstRow + rows.length;
  if (end < block + JOINED_ROWS) return;
  // Other workers may already have written later rows, and rows before the start.
  const from = Math.max(block, start);
  const chunks = db
    .selectFrom('gateway_chunks')
    .where('set_id', '=', setId)
    .where('first_row', '>=', from)
    .where('first_row', '<', end);
  const { count, bytes } = await chunks
    .select([sql<number>`count(*)`.as('count'), sql<number>`sum(length(bytes))`.as('bytes')])
    .executeTakeFirstOrThrow();
  if (count < 2 || bytes > MAX_JOINED_BYTES) return;
  const found = await chunks.select(['first_row', 'bytes']).orderBy('first_row').execute();
  const joined: RowCells[] = found.flatMap((chunk) => decodeRows(chunk.bytes));
  await db
    .deleteFrom('gateway_chunks')
    .where('set_id', '=', setId)
    .where('first_row', '>=', from)
    .where('first_row', '<', end)
    .execute();
  await putRows(db, setId, { firstRow: found[0]?.first_row ?? from, rows: joined });
}
