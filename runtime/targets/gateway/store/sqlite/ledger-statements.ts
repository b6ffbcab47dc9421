import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { LedgerChanges } from '../store.ts';
import { columnTypes } from '../define-table.ts';
import { type AccountRow, type MetaRow, type ProcessRow, type ReservationRow, TABLES } from '../schema.ts';
import { wholeNumbers } from '../whole-numbers.ts';
import { keysOf } from '#core/values/keys.ts';

/** The ledger's prepared statements. They can only be prepared once the tables exist. */
export type LedgerStatements = ReturnType<typeof prepareLedger>;

export function prepareLedger(database: DatabaseSync) {
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const rollback = database.prepare('rollback');
  const version = database.prepare('pragma data_version');
  const meta = database.prepare('select revision, ledger_owner from gateway_meta');
  const processes = database.prepare('select * from gateway_processes');
  const own = database.prepare('update gateway_meta set ledger_owner = ?');
  const billed = database.prepare('select id from gateway_usage where id = ?');
  const hold = database.prepare(
    'update gateway_accounts set reserved_nano = reserved_nano + ?, running = running + ? where id = ?',
  );
  const note = database.prepare('update gateway_reservations set interrupted = ? where id = ?');
  const accounts = prepareTable<AccountRow>(
    database,
    'gateway_accounts',
    columnTypes(TABLES.gateway_accounts),
  );
  const reservations = prepareTable<ReservationRow>(
    database,
    'gateway_reservations',
    columnTypes(TABLES.gateway_reservations),
  );
  const usage = prepareTable(database, 'gateway_usage', columnTypes(TABLES.gateway_usage));
  const resets = prepareTable(database, 'gateway_budget_resets', columnTypes(TABLES.gateway_budget_resets));
  const alerts = prepareTable(database, 'gateway_alerts', columnTypes(TABLES.gateway_alerts));
  return {
    /** Runs `work` in a transaction. */
    transaction<Result>(work: () => Result): Result {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        if (database.isTransaction) rollback.run();
        throw error;
      }
    },
    /** Returns a number that changes whenever another connection changes the database. */
    version: (): unknown => version.get()?.['data_version'],
    meta: () => wholeNumbers(meta.get()) as unknown as Pick<MetaRow, 'revision' | 'ledger_owner'>,
    processes: () => processes.all().map(wholeNumbers) as unknown as ProcessRow[],
    own: (processId: string | null) => void own.run(processId),
    isBilled: (id: string) => billed.get(id) !== undefined,
    account: accounts.find,
    reservation: reservations.find,
    /** Adds reserved amounts to an account's row. */
    hold: (accountId: string, amount: bigint, count: number) => void hold.run(amount, count, accountId),
    /** Stores what a request in flight has used so far. */
    note: (id: string, interrupted: string) => void note.run(interrupted, id),
    write(changes: LedgerChanges) {
      changes.accounts.forEach(accounts.update);
      changes.opened.forEach(reservations.insert);
      changes.closed.forEach(reservations.delete);
      changes.usage.forEach(usage.insert);
      changes.resets.forEach(resets.insert);
      changes.alerts.forEach(alerts.insertMissing);
    },
  };
}

/** A table with an `id`, accessed with prepared statements because it is used many times per second. */
interface PreparedTable<Row> {
  readonly find: (id: string) => Row | undefined;
  readonly insert: (row: Row) => void;
  /** Does nothing if a row with that ID exists. */
  readonly insertMissing: (row: Row) => void;
  /** Updates all columns of the row with that ID. */
  readonly update: (row: Row) => void;
  readonly delete: (id: string) => void;
}

/** A row that only contains values that SQLite can store. */
type Storable<Row> = { readonly id: string } & { readonly [Name in keyof Row]: SQLInputValue };

function prepareTable<Row extends Storable<Row>>(
  database: DatabaseSync,
  table: string,
  columns: Readonly<Record<keyof Row, string>>,
): PreparedTable<Row> {
  const names = keysOf(columns);
  const rest = names.filter((name) => name !== 'id');
  const counts = rest.filter((name) => columns[name] !== 'text' && !name.endsWith('_nano'));
  const find = database.prepare(`select ${names.join(', ')} from ${table} where id = ?`);
  const values = `into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
  const insert = database.prepare(`insert ${values}`);
  const insertMissing = database.prepare(`insert or ignore ${values}`);
  const update = database.prepare(
    `update ${table} set ${rest.map((name) => `${name} = ?`).join(', ')} where id = ?`,
  );
  const remove = database.prepare(`delete from ${table} where id = ?`);
  return {
    find(id) {
      const row: Record<string, unknown> | undefined = find.get(id);
      if (!row) return undefined;
      // SQLite returns all integers as bigint. Only amounts remain bigint.
      for (const name of counts) if (row[name] !== null) row[name] = Number(row[name]);
      // A plain copy, because copying SQLite's objects later would be slow.
      return { ...row } as Row;
    },
    insert: (row) => void insert.run(...names.map((name) => row[name])),
    insertMissing: (row) => void insertMissing.run(...names.map((name) => row[name])),
    update: (row) => void update.run(...rest.map((name) => row[name]), row.id),
    delete: (id) => void remove.run(id),
  };
}
