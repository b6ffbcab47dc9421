import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Until the transaction ends nobody else changes the row; false if there is none. Both databases take what changes nothing as a
 * change. Whoever locks several does it in this order: experiment, workflow, job, dataset; else two could wait for each other.
 */
export async function lockRow(
  trx: Kysely<Schema>,
  table: 'gateway_workflows' | 'gateway_jobs' | 'gateway_datasets',
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable(table)
    .set((row) => ({ id: row.ref('id') }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
