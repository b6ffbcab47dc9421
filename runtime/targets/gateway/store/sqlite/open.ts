import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { explainWriteError } from '../../../../platform/files/write-error.ts';
import { createFolders } from '../../../../platform/files/create-folders.ts';
import type { Store } from '../store.ts';
import type { Schema } from '../schema.ts';
import { WHOLE_NUMBERS } from '../whole-numbers.ts';
import { sqliteDialect } from './dialect.ts';
import { filePlace } from './file-place.ts';
import { sqliteLedger } from './ledger-store.ts';
import { createTransactionGate } from './transaction-gate.ts';

/** How long a statement waits for another process; nothing else runs in this one meanwhile, so whole transactions try again. */
const PATIENCE_MS = 20;
/** Of several processes that open a new file at once, one prepares it, as does the last one that closes it; the others wait. */
const PATIENCE_AT_START_MS = 5000;

/** 16 MB: to write them back takes some milliseconds in which nothing else runs, so it is done more rarely than by default. */
const CHECKPOINT_PAGES = 4000;

/**
 * Opens a file, made if there is none, for its owner only, as is its folder. Two connections: the ledger's, which is used
 * within one turn of the event loop only, and one for everything else.
 */
export function openSqlite(path: string): Store {
  createFile(path);
  const admin = connect(path);
  try {
    const gate = createTransactionGate();
    const place = filePlace(path);
    const ledger = sqliteLedger(connect(path), gate, place);
    const dialect = sqliteDialect(admin, gate, place);
    const db = new Kysely<Schema>({ dialect, plugins: [WHOLE_NUMBERS] });
    return {
      kind: 'sqlite',
      db,
      ledger,
      async close() {
        ledger.close();
        await db.destroy();
        if (admin.isOpen) admin.close();
      },
    };
  } catch (error) {
    admin.close();
    throw error;
  }
}

function createFile(path: string): void {
  try {
    createFolders(dirname(path), 0o700);
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    // One that may only be read is for SQLite to refuse, and to name.
    if (!existsSync(path)) throw explainWriteError(path, error);
  }
}

function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: PATIENCE_AT_START_MS, readBigInts: true });
  try {
    // What is committed survives the end of the process in any case; only a power cut could take the last moments.
    database.exec('pragma journal_mode = wal');
    database.exec('pragma synchronous = normal');
    database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.exec(`pragma busy_timeout = ${PATIENCE_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
