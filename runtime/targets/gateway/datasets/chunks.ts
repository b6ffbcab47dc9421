import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { RowChunk } from './api.ts';
import { decodeRows, encodeRows } from './row-codec.ts';

/** Writes rows where no others are; whoever writes the same ones again fails. */
export async function putRows(
  db: Kysely<Schema>,
  setId: string,
  { firstRow, rows }: RowChunk,
): Promise<void> {
  await db
    .insertInto('gateway_chunks')
    .values({ set_id: setId, first_row: firstRow, row_count: rows.length, bytes: encodeRows(rows) })
    .execute();
}

/** Reads rows from one on, in their order. */
export async function* readRows(db: Kysely<Schema>, setId: string, from = 0): AsyncGenerator<RowChunk, void> {
  for (let next = from; ;) {
    const row = await db
      .selectFrom('gateway_chunks')
      .selectAll()
      .where('set_id', '=', setId)
      .where('first_row', '<=', next)
      .orderBy('first_row', 'desc')
      .limit(1)
      .executeTakeFirst();
    const end = row === undefined ? 0 : row.first_row + row.row_count;
    if (row === undefined || end <= next) return;
    yield { firstRow: next, rows: decodeRows(row.bytes).slice(next - row.first_row) };
    next = end;
  }
}

export async function deleteRows(db: Kysely<Schema>, setId: string): Promise<void> {
  await db.deleteFrom('gateway_chunks').where('set_id', '=', setId).execute();
}
