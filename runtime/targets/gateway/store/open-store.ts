import type { Store } from './store.ts';
import { explainOpenError } from './database-error.ts';
import { type DatabaseLocation, locationText } from './database-url.ts';
import { migrate } from './migrate.ts';
import { openPostgres } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';

export interface OpenOptions {
  /** Whether to migrate an older database to the current schema. */
  readonly autoMigrate: boolean;
}

/** Opens the database and migrates it to the current schema. Throws a ConfigError if it cannot be used. */
export async function openStore(location: DatabaseLocation, { autoMigrate }: OpenOptions): Promise<Store> {
  const shown = locationText(location);
  let store: Store | undefined;
  try {
    store = openDatabase(location);
    await migrate(store, shown, autoMigrate);
    return store;
  } catch (error) {
    await store?.close();
    throw explainOpenError(error, shown);
  }
}

/** Opens a database of any version. */
export const openDatabase = (location: DatabaseLocation): Store =>
  location.kind === 'sqlite' ? openSqlite(location.path) : openPostgres(location);
