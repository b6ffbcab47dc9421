import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Locks a row until the transaction ends; returns false if it does not exist. It uses an update that changes
 * nothing, which locks the row in both databases. To avoid deadlocks, lock multiple rows in this order:
 * experiment, workflow, job, dataset.
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
