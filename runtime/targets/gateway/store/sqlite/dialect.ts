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
import type { FilePlace } from './file-place.ts';
import type { TransactionGate } from './transaction-gate.ts';

/** Lets the query builder use Node's own SQLite. */
export function sqliteDialect(database: DatabaseSync, gate: TransactionGate, place: FilePlace): Dialect {
  return {
    createDriver: () => new ImmediateDriver(database, gate, place),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * A transaction that reads first and writes then would fail if another process wrote in between; this one waits for its turn
 * before it begins. It does not wait inside SQLite, which would hold up everything else here, maybe the very one it waits for.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #gate: TransactionGate;
  readonly #place: FilePlace;

  constructor(database: DatabaseSync, gate: TransactionGate, place: FilePlace) {
    super({ database: asExpected(database) });
    this.#database = database;
    this.#gate = gate;
    this.#place = place;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    this.#place.require();
    for (let waited = 0, pause = 1; ; waited += pause, pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'));
        this.#gate.enter();
        return;
      } catch (error) {
        if (!isContention(error) || waited > PATIENCE_MS) throw error;
        await sleep(pause);
      }
    }
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#gate.leave();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Where the disk is full SQLite does so by itself, and to do it again would fail and hide why.
    if (this.#database.isTransaction) await super.rollbackTransaction(connection).finally(this.#gate.leave);
    else this.#gate.leave();
  }
}

/** How long commands and migrations wait for another process. */
const PATIENCE_MS = 5000;
const LONGEST_PAUSE_MS = 50;

/** The texts of queries are few; only lists of values in them have many lengths. */
const MOST_PREPARED = 200;

/** The part of another library's interface that the driver is written for. What was prepared once is kept. */
function asExpected(database: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  const prepare: SqliteDatabase['prepare'] = (text) => {
    const statement = database.prepare(text);
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...(values as SQLInputValue[])),
      run: (values) => statement.run(...(values as SQLInputValue[])),
      // Nobody else may begin it anew meanwhile.
      iterate: (values) =>
        database.prepare(text).iterate(...(values as SQLInputValue[])) as IterableIterator<unknown>,
    };
  };
  return {
    close: () => database.close(),
    prepare(text) {
      const known = kept.get(text);
      if (known) return known;
      if (kept.size >= MOST_PREPARED) kept.clear();
      const made = prepare(text);
      kept.set(text, made);
      return made;
    },
  };
}
