import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import type { Row, RowChunk } from './dataset.ts';
import { putRows } from './chunks.ts';
import { decodeRows } from './row-codec.ts';

const ROWS_TOGETHER = 100;
/** Of larger rows, a few are a chunk that is worth reading. */
const MOST_BYTES = 256 * 1024;

/** Rows that were written one by one are put together now and then, as each chunk costs everybody who reads them. */
export async function joinRows(
  db: Kysely<Schema>,
  setId: string,
  { firstRow, rows }: RowChunk,
): Promise<void> {
  const from = firstRow - (firstRow % ROWS_TOGETHER);
  if (firstRow + rows.length < from + ROWS_TOGETHER) return;
  const chunks = db.selectFrom('gateway_chunks').where('set_id', '=', setId).where('first_row', '>=', from);
  const { count, bytes } = await chunks
    .select([sql<number>`count(*)`.as('count'), sql<number>`sum(length(bytes))`.as('bytes')])
    .executeTakeFirstOrThrow();
  if (count < 2 || bytes > MOST_BYTES) return;
  const found = await chunks.select(['first_row', 'bytes']).orderBy('first_row').execute();
  const joined: Row[] = found.flatMap((chunk) => decodeRows(chunk.bytes));
  await db.deleteFrom('gateway_chunks').where('set_id', '=', setId).where('first_row', '>=', from).execute();
  await putRows(db, setId, { firstRow: found[0]?.first_row ?? from, rows: joined });
}
