import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import type { RowChunk } from './dataset.ts';
import { GROUND_TRUTH, isBlank } from './check-row.ts';
import { putRows } from './chunks.ts';
import { joinRows } from './join-rows.ts';

/**
 * Adds the next rows to a dataset that work fills, in the caller's transaction. What they say of it is counted now: to read all
 * of them again in the transaction that ends the work would hold up everybody else who writes.
 */
export async function appendRows(db: Kysely<Schema>, id: string, chunk: RowChunk): Promise<void> {
  const { firstRow, rows } = chunk;
  await putRows(db, id, chunk);
  await joinRows(db, id, chunk);
  const size = rows.reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0);
  await db
    .updateTable('gateway_datasets')
    .set((row) => ({
      row_count: row('row_count', '+', rows.length),
      size: row('size', '+', size),
      ...(firstRow === 0 ? { columns: JSON.stringify(Object.keys(rows[0] ?? {})) } : {}),
      ...(rows.some((one) => isBlank(one[GROUND_TRUTH])) ? { ground_truth: 0 } : {}),
    }))
    .where('id', '=', id)
    .execute();
}
