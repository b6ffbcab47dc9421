import type { DatabaseSync } from 'node:sqlite';
import type { LedgerChanges } from '../store.ts';
import { columnTypes } from '../define-table.ts';
import { type AccountRow, type MetaRow, type ProcessRow, type ReservationRow, TABLES } from '../schema.ts';
import { wholeNumbers } from '../whole-numbers.ts';
import { prepareTable } from './prepared-table.ts';

/** Prepared statements of the ledger. They can be prepared only after the tables are created. */
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
    /** Returns a number that differs after any change by another connection. */
    version: (): unknown => version.get()?.['data_version'],
    meta: () => wholeNumbers(meta.get()) as unknown as Pick<MetaRow, 'revision' | 'ledger_owner'>,
    processes: () => processes.all().map(wholeNumbers) as unknown as ProcessRow[],
    own: (processId: string | null) => void own.run(processId),
    isBilled: (id: string) => billed.get(id) !== undefined,
    account: accounts.find,
    reservation: reservations.find,
    /** Adds reserved amounts to the row of an account. */
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
