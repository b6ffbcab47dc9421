import type { Kysely } from 'kysely';

/** Adds the codes of `gateway login` that were redeemed, each of which is valid once on all gateways. */
export async function addSignInCodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_sign_in_codes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
}
