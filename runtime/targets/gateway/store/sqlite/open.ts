import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { explainWriteError } from '#platform/files/write-error.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { createAuditTrail } from '../audit/audit-trail.ts';
import { isContention } from '../database-error.ts';
import type { Store } from '../store.ts';
import type { Schema } from '../schema.ts';
import { WHOLE_NUMBERS } from '../whole-numbers.ts';
import { sqliteDialect } from './dialect.ts';
import { createFileCheck, createTransactionGate } from './open-file.ts';
import { sqliteLedger } from './ledger-store.ts';

/** How long a statement waits for a lock. It blocks the event loop, so it is short, and transactions are retried as a whole. */
const BUSY_TIMEOUT_MS = 20;
/** Longer timeout at the start, because processes that open a new file wait while one of them prepares it. */
const STARTUP_BUSY_TIMEOUT_MS = 5000;
const SWITCH_RETRY_MS = 5;

/** 16 MB. A checkpoint blocks the event loop for milliseconds, so it runs less often than by default. */
const CHECKPOINT_PAGES = 4000;
/** Size to which the write-ahead log is cut after a checkpoint, twice that of a usual one. */
const MAX_LOG_BYTES = 32 * 1024 * 1024;

/**
 * Opens a database file. A missing file and its folder are created for the owner only. There are two connections: that of the
 * ledger, whose transactions never last longer than a turn of the event loop, and one for everything else.
 */
export function openSqlite(path: string): Store {
  createFile(path);
  const admin = connect(path);
  try {
    const gate = createTransactionGate();
    const file = createFileCheck(path);
    const ledger = sqliteLedger(connect(path), gate, file);
    const dialect = sqliteDialect(admin, gate, file);
    const db = new Kysely<Schema>({ dialect, plugins: [WHOLE_NUMBERS] });
    return {
      kind: 'sqlite',
      db,
      ledger,
      audit: createAuditTrail(),
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
    // SQLite itself reports a file that is read-only.
    if (!existsSync(path)) throw explainWriteError(path, error);
  }
}

function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: STARTUP_BUSY_TIMEOUT_MS, readBigInts: true });
  try {
    // Committed data survives a crash of the process. Only a power failure can lose the last moments.
    useWriteAheadLog(database);
    // The function of SQLite converts only the letters A to Z. That of PostgreSQL converts the letters of other languages, too.
    database.function('lower', { deterministic: true }, (text) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
    database.exec('pragma synchronous = normal');
    database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // After a burst of writes, the log shrinks again with the next checkpoint.
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite does not wait for the lock that the first switch of a new file needs, so that processes that open it together would fail. */
function useWriteAheadLog(database: DatabaseSync): void {
  const end = performance.now() + STARTUP_BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isContention(error) || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SWITCH_RETRY_MS);
    }
  }
}
