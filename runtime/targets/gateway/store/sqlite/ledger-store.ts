import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LedgerChanges, LedgerRows, LedgerStore, WantedRows } from '../api.ts';
import { ACCOUNT_COLUMNS, RESERVATION_COLUMNS, RESET_COLUMNS, USAGE_COLUMNS } from '../columns.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';
import { type HotTable, hotTable } from './hot-table.ts';

/** Every batch runs within one turn of the event loop, by statements that are prepared once. */
export function sqliteLedger(database: DatabaseSync): LedgerStore {
  let statements: Statements | undefined;

  const runNow = (wanted: WantedRows, decide: (rows: LedgerRows) => LedgerChanges): void => {
    // Not before the tables are there.
    statements ??= prepareAll(database);
    const { begin, commit, rollback } = statements;
    begin.run();
    try {
      write(statements, decide(read(statements, wanted)));
      commit.run();
    } catch (error) {
      if (database.isTransaction) rollback.run();
      throw error;
    }
  };

  return {
    parallel: 1,
    run: async (wanted, decide) => {
      runNow(wanted, decide);
    },
  };
}

type Statements = ReturnType<typeof prepareAll>;

const prepareAll = (database: DatabaseSync) => ({
  begin: database.prepare('begin immediate'),
  commit: database.prepare('commit'),
  rollback: database.prepare('rollback'),
  revision: database.prepare('select revision from gateway_meta'),
  billed: database.prepare('select id from gateway_usage where id = ?'),
  accounts: hotTable<AccountRow>(database, 'gateway_accounts', ACCOUNT_COLUMNS),
  reservations: hotTable<ReservationRow>(database, 'gateway_reservations', RESERVATION_COLUMNS),
  usage: hotTable(database, 'gateway_usage', USAGE_COLUMNS),
  resets: hotTable(database, 'gateway_budget_resets', RESET_COLUMNS),
});

function read(statements: Statements, wanted: WantedRows): LedgerRows {
  const reservations: ReservationRow[] = [];
  const billed: string[] = [];
  for (const id of wanted.reservations) {
    const row = statements.reservations.find(id);
    if (row) reservations.push(row);
    else if (exists(statements.billed, id)) billed.push(id);
  }
  return {
    revision: Number(statements.revision.get()?.['revision']),
    accounts: findAll(statements.accounts, wanted.accounts),
    reservations,
    billed,
  };
}

function write(statements: Statements, changes: LedgerChanges): void {
  for (const account of changes.accounts) statements.accounts.update(account);
  for (const reservation of changes.opened) statements.reservations.insert(reservation);
  for (const id of changes.closed) statements.reservations.delete(id);
  for (const row of changes.usage) statements.usage.insert(row);
  for (const reset of changes.resets) statements.resets.insert(reset);
}

const exists = (statement: StatementSync, id: string): boolean => statement.get(id) !== undefined;

function findAll<Row>(table: HotTable<Row>, ids: Iterable<string>): Row[] {
  const rows: Row[] = [];
  for (const id of ids) {
    const row = table.find(id);
    if (row) rows.push(row);
  }
  return rows;
}
