import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { isContention } from '../database-error.ts';
import type { FileCheck, TransactionGate } from './open-file.ts';

/** A query builder dialect for Node's built-in SQLite. */
export function sqliteDialect(database: DatabaseSync, gate: TransactionGate, file: FileCheck): Dialect {
  return {
    createDriver: () => new ImmediateDriver(database, gate, file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * Starts every transaction as a write transaction: one that reads first would fail if another process writes
 * in between. Transactions and single statements wait for locks outside of SQLite, because waiting inside would
 * block the event loop, and possibly the lock holder as well.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #gate: TransactionGate;
  readonly #file: FileCheck;

  constructor(database: DatabaseSync, gate: TransactionGate, file: FileCheck) {
    super({ database: adaptDatabase(database) });
    this.#database = database;
    this.#gate = gate;
    this.#file = file;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return {
      executeQuery: async (query) =>
        this.#database.isTransaction
          ? await connection.executeQuery(query)
          : await untilFree(async () => await connection.executeQuery(query)),
      streamQuery: (query, size) => connection.streamQuery(query, size),
    };
  }

  override async beginTransaction(): Promise<void> {
    this.#file.require();
    const connection = await super.acquireConnection();
    await untilFree(async () => {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
      this.#gate.enter();
    });
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#gate.leave();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back automatically if the disk is full. A second rollback would fail and hide the reason.
    if (this.#database.isTransaction) await super.rollbackTransaction(connection).finally(this.#gate.leave);
    else this.#gate.leave();
  }
}

/** How long a transaction or statement waits for another process. */
const LOCK_TIMEOUT_MS = 5000;
const MAX_DELAY_MS = 50;

/** Repeats work that fails because another process or thread has the lock. */
async function untilFree<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let waited = 0, delay = 1; ; waited += delay, delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || waited > LOCK_TIMEOUT_MS) throw error;
      await sleep(delay);
    }
  }
}

/** Maximum number of cached statements. There are few queries, but value lists in them have many lengths. */
const MAX_STATEMENTS = 200;

/** Values from a query builder, which contain nothing that SQLite cannot store. */
const inputs = (values: readonly unknown[]): readonly SQLInputValue[] => values as readonly SQLInputValue[];

/** Adapts Node's SQLite to the driver's interface, and caches prepared statements. */
function adaptDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  const prepare: SqliteDatabase['prepare'] = (text) => {
    const statement = database.prepare(text);
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...inputs(values)),
      run: (values) => statement.run(...inputs(values)),
      // An iteration gets its own statement, because another use would restart it.
      iterate: (values) => database.prepare(text).iterate(...inputs(values)),
    };
  };
  return {
    close: () => database.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known) return known;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const statement = prepare(text);
      statements.set(text, statement);
      return statement;
    },
  };
}
