import type { Store } from './store.ts';
import { explainOpenError } from './database-error.ts';
import { type DatabasePlace, shownPlace } from './database-url.ts';
import { migrate } from './migrate.ts';
import { openPostgres } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';

export interface OpenOptions {
  /** Whether to bring an older database to this version. */
  readonly autoMigrate: boolean;
}

/** Opens the database, and brings it to the version of this gateway. Throws a ConfigError that says what is wrong with it. */
export async function openStore(place: DatabasePlace, { autoMigrate }: OpenOptions): Promise<Store> {
  const shown = shownPlace(place);
  let store: Store | undefined;
  try {
    store = openDatabase(place);
    await migrate(store, shown, autoMigrate);
    return store;
  } catch (error) {
    await store?.close();
    throw explainOpenError(error, shown);
  }
}

/** Whatever its version is. */
export const openDatabase = (place: DatabasePlace): Store =>
  place.kind === 'sqlite' ? openSqlite(place.path) : openPostgres(place);
