import type { Kysely } from 'kysely';

/** Adds tags of experiments, as a JSON list. */
export async function addExperimentTags(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('gateway_experiments')
    .addColumn('tags', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}
