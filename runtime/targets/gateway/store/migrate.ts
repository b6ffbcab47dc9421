import { type Kysely, sql, type Transaction } from 'kysely';
import { configError } from '#contract/errors.ts';
import { createTable } from './define-table.ts';
import { MIGRATIONS, migrationsFrom, versionAfter, versionProblem } from './migrations.ts';
import { META, type Schema } from './schema.ts';
import type { Store } from './store.ts';

/** Arbitrary advisory lock key, which all gateways share. */
const MIGRATION_LOCK = 7_214_053_881;

export interface MigrateResult {
  /** Schema version before the migration; 0 for an empty database. */
  readonly from: number;
  readonly to: number;
}

/** Schema version required by this gateway. */
export const NEWEST_VERSION = versionAfter(MIGRATIONS);

/** Returns the database's version and the version that it should have, without changing anything. */
export const versionsOf = async ({ db }: Pick<Store, 'db'>): Promise<MigrateResult> => ({
  from: await versionOf(db),
  to: NEWEST_VERSION,
});

/**
 * Migrates the database to the current schema, in one transaction, one process at a time. Throws a
 * ConfigError if the database's version cannot be migrated, or if it is older and `apply` is false.
 */
export async function migrate(
  { db, kind }: Pick<Store, 'db' | 'kind'>,
  shown: string,
  apply: boolean,
  migrations = MIGRATIONS,
): Promise<MigrateResult> {
  const to = versionAfter(migrations);
  return await db.transaction().execute(async (trx) => {
    // On SQLite, the dialect already serializes transactions.
    if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx);
    const from = await versionOf(trx);
    const unusable = versionProblem(from, to);
    if (unusable) throw configError(`The database (${shown}) ${unusable.problem}. ${unusable.remedy}`);
    if (from === to) return { from, to };
    if (!apply) {
      throw configError(
        `The database (${shown}) has schema version ${from}, but this gateway requires ${to}. Run \`gateway migrate\`, or set \`auto_migrate\`.`,
      );
    }
    const untyped = trx as unknown as Kysely<unknown>;
    if (from === 0) await createMeta(trx);
    for (const step of migrationsFrom(from, migrations)) await step(untyped);
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
  await createTable(trx as unknown as Kysely<unknown>, 'gateway_meta', META);
  await trx
    .insertInto('gateway_meta')
    .values({ id: 1, schema_version: 0, revision: 1, ledger_owner: null })
    .execute();
}
