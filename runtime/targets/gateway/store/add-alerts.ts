import type { Kysely } from 'kysely';

/** Adds alerts about budgets: an outbox, from which gateways send them to a webhook. */
export async function addAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_alerts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('threshold', 'integer')
    .addColumn('spent_nano', 'bigint', (column) => column.notNull())
    .addColumn('limit_nano', 'bigint', (column) => column.notNull())
    .addColumn('window_started_at', 'bigint')
    .addColumn('window_ends_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint', (column) => column.notNull())
    .addColumn('sent_at', 'bigint')
    .addColumn('problem', 'text')
    .execute();
  await db.schema
    .createIndex('gateway_alerts_due')
    .on('gateway_alerts')
    .columns(['state', 'next_attempt_at'])
    .execute();
  await db.schema.alterTable('gateway_budgets').addColumn('alert_thresholds', 'text').execute();
}
