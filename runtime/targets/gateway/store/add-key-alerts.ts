import type { Kysely } from 'kysely';

/** Adds thresholds of alerts about the budgets of keys. */
export async function addKeyAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_keys').addColumn('alert_thresholds', 'text').execute();
}
