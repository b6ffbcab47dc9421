import type { Kysely } from 'kysely';

/** Adds the key that started a job, whose limits and state hold until the job has ended. Earlier jobs have none. */
export async function addJobKeys(db: Kysely<unknown>): Promise<void> {
  for (const table of ['gateway_jobs', 'gateway_workflows'])
    await db.schema.alterTable(table).addColumn('key_id', 'text').execute();
}
