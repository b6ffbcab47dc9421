import { type Kysely, sql, type Transaction } from 'kysely';
import { configError } from '#contract/errors.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';
import type { Store } from './store.ts';

/** Arbitrary key of the advisory lock, the same in all gateways. */
const MIGRATION_LOCK = 7_214_053_881;

export interface MigrateResult {
  /** Schema version before the migration; 0 for an empty database. */
  readonly from: number;
  readonly to: number;
}

/** Schema version that this gateway requires. */
export const NEWEST_VERSION = MIGRATIONS.length;

/** Returns the version that the database has and the one that it should have, without a change. */
export const versionsOf = async ({ db }: Pick<Store, 'db'>): Promise<MigrateResult> => ({
  from: await versionOf(db),
  to: NEWEST_VERSION,
});

/**
 * Migrates the database to the current schema, in one transaction, one process at a time. Throws a ConfigError if the database has a
 * newer version, or if it has an older one and `apply` is false.
 */
export async function migrate(
  { db, kind }: Pick<Store, 'db' | 'kind'>,
  shown: string,
  apply: boolean,
): Promise<MigrateResult> {
  const to = NEWEST_VERSION;
  return await db.transaction().execute(async (trx) => {
    // On SQLite, the dialect already runs one transaction at a time.
    if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx);
    const from = await versionOf(trx);
    if (from > to) {
      throw configError(
        `The database (${shown}) has schema version ${from}, but this gateway supports versions up to ${to}. Use a newer ` +
          'gateway, or another database.',
      );
    }
    if (from === to) return { from, to };
    if (!apply) {
      throw configError(
        `The database (${shown}) has schema version ${from}, but this gateway requires ${to}. Run \`gateway migrate\`, or set \`auto_migrate\`.`,
      );
    }
    if (from === 0) await createMeta(trx);
    for (const step of MIGRATIONS.slice(from)) await step(trx as unknown as Kysely<unknown>);
    await trx.updateTable('gateway_meta').set({ schema_version: to }).execute();
    return { from, to };
  });
}

async function versionOf(db: Kysely<Schema>): Promise<number> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'gateway_meta')) return 0;
  const row = await db.selectFrom('gateway_meta').select('schema_version').executeTakeFirst();
  return row?.schema_version ?? 0;
}

async function createMeta(trx: Transaction<Schema>): Promise<void> {
  await trx.schema
    .createTable('gateway_meta')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('schema_version', 'integer', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('ledger_owner', 'text')
    .execute();
  await trx
    .insertInto('gateway_meta')
    .values({ id: 1, schema_version: 0, revision: 1, ledger_owner: null })
    .execute();
}
