import { type Kysely, sql } from 'kysely';
import { addColumns, createTable, type Table } from './define-table.ts';
import { TABLES } from './schema.ts';

export type Migration = (db: Kysely<unknown>) => Promise<void>;

/**
 * Each migration increments the schema version by one. A released migration never changes: a later version
 * appends another one, and marks its additions in the table definitions (`later`, `isLater`), so that the
 * first migration omits them.
 */
export const MIGRATIONS: readonly Migration[] = [createTables, addQuarters];

/** Database version after the first migration. Lower versions were used by builds before the first release. */
const FIRST_VERSION = 100;

/** The schema version that the migrations lead to. */
export const versionAfter = ({ length }: readonly Migration[]): number => FIRST_VERSION + length - 1;

/** Returns the migrations that a database of this version needs. An empty database has version 0. */
export const migrationsFrom = (version: number, migrations: readonly Migration[]): readonly Migration[] =>
  version === 0 ? migrations : migrations.slice(version - FIRST_VERSION + 1);

/**
 * Why a gateway cannot use a database of this version, not even after a migration, and how to solve it;
 * undefined if it can.
 */
export function versionProblem(
  version: number,
  newest: number,
): { readonly problem: string; readonly remedy: string } | undefined {
  if (version > newest)
    return {
      problem: `has schema version ${version}, but this gateway supports versions up to ${newest}`,
      remedy: 'Use a newer gateway, or another database.',
    };
  if (version > 0 && version < FIRST_VERSION)
    return {
      problem: `has schema version ${version}, which is from a pre-release build and cannot be migrated`,
      remedy: 'Use another database, or the build that created it.',
    };
  return undefined;
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  for (const [name, table] of Object.entries<Table>(TABLES))
    if (!table.isLater) await createTable(db, name, table);
  await sql`insert into gateway_usage_counted (id, counted_until) values (1, 0)`.execute(db);
}

/** Adds the parts of daily sums. All sums are computed again from the usage rows, in the background. */
async function addQuarters(db: Kysely<unknown>): Promise<void> {
  const { quarters } = TABLES.gateway_usage_sums.columns;
  await addColumns(db, 'gateway_usage_sums', { quarters });
  await sql`delete from gateway_usage_sums`.execute(db);
  await sql`update gateway_usage_counted set counted_until = 0`.execute(db);
}
