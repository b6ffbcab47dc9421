import type { Kysely } from 'kysely';

/** Adds the log of prompts and answers, and which keys are logged. */
export async function addPromptLog(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_keys').addColumn('log_prompts', 'integer').execute();
  await db.schema
    .createTable('gateway_prompts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('api_key_id', 'text')
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('truncated', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('gateway_prompts_by_time')
    .on('gateway_prompts')
    .columns(['at', 'id'])
    .execute();
  await db.schema
    .createIndex('gateway_prompts_by_request')
    .on('gateway_prompts')
    .column('request_id')
    .execute();
}
