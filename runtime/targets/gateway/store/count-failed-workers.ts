import type { Kysely } from 'kysely';

/** So that a job which ends every worker is given up, however often gateways are started again. */
export async function countFailedWorkers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('gateway_jobs')
    .addColumn('failed_workers', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
