import type { Kysely } from 'kysely';

/** Adds the experiment whose workflows share an answer. */
export async function addExperimentAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_answers').addColumn('experiment_id', 'text').execute();
  await db.schema
    .createIndex('gateway_answers_experiment')
    .on('gateway_answers')
    .column('experiment_id')
    .execute();
}
