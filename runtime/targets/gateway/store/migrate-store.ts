import { existsSync } from 'node:fs';
import { explainOpenError } from './database-error.ts';
import { type DatabaseLocation, locationText } from './database-url.ts';
import { migrate, type MigrateResult, NEWEST_VERSION, versionsOf } from './migrate.ts';
import { openDatabase } from './open-store.ts';

/**
 * Creates a database or migrates it to the current schema, then closes it. A dry run only returns its version
 * and creates nothing. Throws a ConfigError if the database cannot be used.
 */
export async function migrateStore(
  location: DatabaseLocation,
  { dryRun }: { readonly dryRun: boolean },
): Promise<MigrateResult> {
  if (dryRun && location.kind === 'sqlite' && !existsSync(location.path))
    return { from: 0, to: NEWEST_VERSION };
  const shown = locationText(location);
  try {
    const store = openDatabase(location);
    try {
      return dryRun ? await versionsOf(store) : await migrate(store, shown, true);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw explainOpenError(error, shown);
  }
}
