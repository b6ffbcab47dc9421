import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Locks the meta row until the transaction ends, which serializes all transactions that call this. */
export async function lockMeta(trx: Kysely<Schema>): Promise<void> {
  await trx
    .updateTable('gateway_meta')
    .set({ revision: sql<number>`revision` })
    .execute();
}
