import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import type { RowCells } from './dataset.ts';
import { decodeRows, encodeRows } from './chunks.ts';

/** Replaces stored rows, in the caller's transaction. The keys of `rows` are row numbers in ascending order. */
export async function replaceRows(
  db: Kysely<Schema>,
  setId: string,
  rows: ReadonlyMap<number, RowCells>,
): Promise<void> {
  let left = [...rows];
  for (let [first] = left; first !== undefined; [first] = left) {
    const chunk = await db
      .selectFrom('gateway_chunks')
      .select(['first_row', 'row_count', 'bytes'])
      .where('set_id', '=', setId)
      .where('first_row', '<=', first[0])
      .orderBy('first_row', 'desc')
      .executeTakeFirst();
    if (!chunk || first[0] >= chunk.first_row + chunk.row_count) {
      throw new Error(`row ${first[0]} of ${setId} is not stored`);
    }
    const { first_row: firstRow, row_count: rowCount, bytes } = chunk;
    const stored = decodeRows(bytes).map((row, at) => rows.get(firstRow + at) ?? row);
    await db
      .updateTable('gateway_chunks')
      .set({ bytes: encodeRows(stored) })
      .where('set_id', '=', setId)
      .where('first_row', '=', firstRow)
      .execute();
    left = left.filter(([number]) => number >= firstRow + rowCount);
  }
}
