import type { Kysely } from 'kysely';

/** Adds budgets whose windows are days, weeks or months of a time zone. */
export async function addCalendar(db: Kysely<unknown>): Promise<void> {
  for (const column of ['calendar', 'time_zone'])
    await db.schema.alterTable('gateway_budgets').addColumn(column, 'text').execute();
}
