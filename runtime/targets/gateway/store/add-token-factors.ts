import type { Kysely } from 'kysely';

/** Adds what the gateway has learned about the tokens of models whose encoding is not published. */
export async function addTokenFactors(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_token_factors')
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('script', 'text', (column) => column.notNull())
    .addColumn('factor_millionths', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_token_factors_key', ['model', 'script'])
    .execute();
}
