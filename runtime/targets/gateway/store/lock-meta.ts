import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Whoever does this in a transaction waits for all others who did. */
export async function lockMeta(trx: Kysely<Schema>): Promise<void> {
  await trx
    .updateTable('gateway_meta')
    .set({ revision: sql<number>`revision` })
    .execute();
}
