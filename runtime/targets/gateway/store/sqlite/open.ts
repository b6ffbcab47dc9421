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

/**
 * How long a statement waits for a lock. Waiting blocks the event loop, so the timeout is short, and
 * transactions are retried as a whole.
 */
const BUSY_TIMEOUT_MS = 20;
/** Longer timeout at startup, because processes that open a new file wait while one of them initializes it. */
const STARTUP_BUSY_TIMEOUT_MS = 5000;
const SWITCH_RETRY_MS = 5;

/** 16 MB. A checkpoint blocks the event loop for milliseconds, so it runs less often than by default. */
const CHECKPOINT_PAGES = 4000;
/** Size that the write-ahead log is truncated to after a checkpoint, twice the usual size. */
const MAX_LOG_BYTES = 32 * 1024 * 1024;

/**
 * Opens a database file. A missing file and its folder are created with owner-only permissions. There are two
 * connections: one for the ledger, whose transactions never outlast an event loop turn, and one for
 * everything else.
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
    // SQLite itself reports a read-only file.
    if (!existsSync(path)) throw explainWriteError(path, error);
  }
}

function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: STARTUP_BUSY_TIMEOUT_MS, readBigInts: true });
  try {
    // Committed data survives a process crash. Only a power failure can lose the last moments.
    useWriteAheadLog(database);
    // SQLite's function only converts the letters A to Z. PostgreSQL's also converts the letters of other
    // languages.
    database.function('lower', { deterministic: true }, (text) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
    database.exec('pragma synchronous = normal');
    database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // After a burst of writes, the next checkpoint shrinks the log again.
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * SQLite does not wait for the lock that is required to first switch a new file's mode, so concurrent opens
 * would fail.
 */
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
