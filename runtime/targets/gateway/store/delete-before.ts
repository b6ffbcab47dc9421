import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Several short transactions let requests write in between. */
export const ROWS_PER_DELETE = 500;

/** Tables with events, which are kept for a limited time. */
type EventTable = 'gateway_feedback' | 'gateway_guardrail_hits' | 'gateway_prompts';

/** Deletes the events of a table before a time. */
export async function deleteBefore(db: Kysely<Schema>, table: EventTable, before: number): Promise<void> {
  for (;;) {
    const old = await db
      .selectFrom(table)
      .select('id')
      .where('at', '<', before)
      .limit(ROWS_PER_DELETE)
      .execute();
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    await db.deleteFrom(table).where('id', 'in', ids).execute();
  }
}
