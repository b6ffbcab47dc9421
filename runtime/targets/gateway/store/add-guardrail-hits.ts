import type { Kysely } from 'kysely';

/** Adds the log of texts that guardrails flagged. */
export async function addGuardrailHits(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_guardrail_hits')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('api_key_id', 'text')
    .addColumn('team_id', 'text')
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('profile', 'text', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('score', 'double precision')
    .addColumn('explanation', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('gateway_guardrail_hits_by_time')
    .on('gateway_guardrail_hits')
    .columns(['at', 'id'])
    .execute();
}
