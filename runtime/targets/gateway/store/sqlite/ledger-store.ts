import type { DatabaseSync } from 'node:sqlite';
import type { LedgerChanges, LedgerRows, LedgerStore, RowIds } from '../store.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import { accountsOf, isLasting } from '../account-ids.ts';
import { isContention } from '../database-error.ts';
import type { ReservationRow, AccountRow } from '../schema.ts';
import { machineName } from '../machine.ts';
import type { FileCheck, TransactionGate } from './open-file.ts';
import { claimLedger } from './ledger-owner.ts';
import { type LedgerStatements, prepareLedger } from './ledger-statements.ts';

export interface SqliteLedger extends LedgerStore {
  readonly close: () => void;
}

type Decide = (rows: LedgerRows) => LedgerChanges;

/** Interval of checks for other processes, which wait until this one has released the ledger. */
const CHECK_INTERVAL_MS = 20;
/** After this many checks without a request, the ledger is released and the checks stop. */
const MAX_IDLE_CHECKS = 50;
const MAX_ACCOUNTS = 10_000;
const NO_ROWS: RowIds = { accounts: [], reservations: [] };
const NO_CHANGES: LedgerChanges = { accounts: [], opened: [], closed: [], usage: [], resets: [], alerts: [] };

/**
 * Every batch runs within one event loop turn. While no other process uses the database, reservations stay in
 * memory, and only usage is written; docs/decisions/0018 explains the reasons and rules.
 */
export function sqliteLedger(database: DatabaseSync, gate: TransactionGate, file: FileCheck): SqliteLedger {
  const machine = machineName();
  let statements: LedgerStatements | undefined;
  let processId: string | undefined;
  let held = createHeldReservations();
  /** The cache while this process owns the ledger; otherwise undefined. */
  let cache: AccountCache | undefined;
  let checking: NodeJS.Timeout | undefined;
  let idleChecks = 0;
  /** Whether the file was still in place at the last check. */
  let isInPlace = true;
  // Prepared on first use, because the tables are created after this.
  const prepared = (): LedgerStatements => (statements ??= prepareLedger(database));
  const isCurrent = ({ version }: AccountCache): boolean => prepared().version() === version;
  /** Whether the cache was current in this event loop turn; undefined if not checked yet. */
  let wasCurrent: boolean | undefined;
  /**
   * Checks once per turn: requests in one turn are concurrent with changes made by others during it, so they
   * can be ordered first.
   */
  const isCurrentThisTurn = (owned: AccountCache): boolean => {
    if (wasCurrent === undefined) setImmediate(() => (wasCurrent = undefined));
    return (wasCurrent ??= isCurrent(owned));
  };

  const begin = (owned: AccountCache | undefined): void => {
    cache = owned;
    wasCurrent = undefined;
    if (owned === undefined) {
      held = createHeldReservations();
      clearInterval(checking);
      checking = undefined;
    } else checking ??= setInterval(check, CHECK_INTERVAL_MS).unref();
  };

  const planFor = (owned: AccountCache, ids: RowIds, decide: Decide): Plan => {
    if (owned.accounts.size > MAX_ACCOUNTS) owned.accounts.clear();
    return planChanges(decide(readLedgerRows(prepared(), owned, held, ids)), owned, held);
  };

  /** Runs a batch with cached accounts. Returns false, without changing anything, if the cache is outdated. */
  const runCached = (owned: AccountCache, ids: RowIds, decide: Decide): boolean => {
    const sql = prepared();
    const { changes, undo } = planFor(owned, ids, decide);
    const holds = undoing(undo, () => {
      if (isEmpty(changes)) return isCurrent(owned);
      return sql.transaction(() => {
        if (!isCurrent(owned)) return false;
        sql.write(changes);
        return true;
      });
    });
    if (holds) learn(owned, changes);
    else undo();
    return holds;
  };

  /** Runs a batch with accounts from the database, and acquires or releases the ledger. */
  const runUncached = (ids: RowIds, decide: Decide): void => {
    const sql = prepared();
    let plan: Plan | undefined;
    const owned = undoing(
      () => plan?.undo(),
      () =>
        sql.transaction(() => {
          const { revision, owns } = claimLedger(sql, processId, machine);
          const read: AccountCache = { version: sql.version(), revision, accounts: new Map() };
          if (owns) {
            plan = planFor(read, ids, decide);
            sql.write(plan.changes);
            return read;
          }
          writeHeld(sql, held);
          sql.write(decide(readLedgerRows(sql, read, createHeldReservations(), ids)));
          return undefined;
        }),
    );
    if (owned && plan) learn(owned, plan.changes);
    begin(owned);
  };

  const runNow = (ids: RowIds, decide: Decide): void => {
    if (!(cache && runCached(cache, ids, decide))) runUncached(ids, decide);
  };

  const leave = (): void => {
    if (!cache) return;
    file.require();
    const sql = prepared();
    sql.transaction(() => {
      writeHeld(sql, held);
      if (sql.meta().ledger_owner === processId) sql.own(null);
    });
    begin(undefined);
  };

  const check = (): void => {
    isInPlace = file.isInPlace();
    if (gate.busy()) return;
    idleChecks += 1;
    try {
      if (idleChecks >= MAX_IDLE_CHECKS) leave();
      else if (cache && !isCurrent(cache)) runUncached(NO_ROWS, () => NO_CHANGES);
    } catch {
      // The next check tries again.
    }
  };

  return {
    parallel: 1,
    run: async (ids, decide) => {
      await untilFree(gate);
      file.require();
      idleChecks = 0;
      runNow(ids, decide);
    },
    keep(ids, decide) {
      if (!cache || !isInPlace) return false;
      idleChecks = 0;
      const { changes, undo } = planFor(cache, ids, decide);
      if (isEmpty(changes) && isCurrentThisTurn(cache)) return true;
      undo();
      return false;
    },
    join(id) {
      processId = id;
    },
    note: async (notes) => {
      await untilFree(gate);
      file.require();
      const sql = prepared();
      const kept = notes.filter(({ id }) => held.find(id));
      sql.transaction(() => {
        for (const { id, interrupted } of notes) {
          const row = held.find(id);
          if (row) writeReservations(sql, [{ ...row, interrupted }]);
          else sql.note(id, interrupted);
        }
      });
      if (cache) for (const { id } of kept) moveToDatabase(cache, held, id);
    },
    accounts: (ids) => {
      const sql = prepared();
      const rows = ids.map(sql.account).filter((row) => row !== undefined);
      return Promise.resolve(rows.map(held.withHeld));
    },
    sync: async () => {
      await untilFree(gate);
      try {
        leave();
      } catch (error) {
        // Another process is writing, so the data read can be slightly older.
        if (!isContention(error)) throw error;
      }
    },
    close() {
      clearInterval(checking);
      database.close();
    },
  };
}

async function untilFree(gate: TransactionGate): Promise<void> {
  for (let busy = gate.busy(); busy; busy = gate.busy()) await busy;
}

function undoing<Result>(undo: () => void, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    undo();
    throw error;
  }
}

function learn({ accounts }: AccountCache, changes: LedgerChanges): void {
  for (const account of changes.accounts) accounts.set(account.id, account);
}

/** Adds reservations from memory to the database, and their amounts to the accounts there. */
function writeReservations(sql: LedgerStatements, rows: readonly ReservationRow[]): void {
  for (const row of rows) for (const id of accountsOf(row)) sql.hold(id, row.amount_nano, 1);
  sql.write({ ...NO_CHANGES, opened: rows });
}

/** Removes a reservation from memory that is now in the database. */
function moveToDatabase({ accounts }: AccountCache, held: HeldReservations, reservation: string): void {
  const row = held.find(reservation);
  if (!row) return;
  for (const id of accountsOf(row)) {
    const account = accounts.get(id);
    if (!account) continue;
    const { reserved_nano: reserved, running } = account;
    accounts.set(id, { ...account, reserved_nano: reserved + row.amount_nano, running: running + 1 });
  }
  held.change([], [reservation]);
}

function writeHeld(sql: LedgerStatements, held: HeldReservations): void {
  for (const [accountId, { reserved, running }] of held.sums()) sql.hold(accountId, reserved, running);
  sql.write({ ...NO_CHANGES, opened: [...held.all()] });
}

/** Accounts cached while this process owns the ledger. */
interface AccountCache {
  /** The database's `data_version` when the accounts were read. If it changes, they are reread. */
  readonly version: unknown;
  readonly revision: number;
  readonly accounts: Map<string, AccountRow>;
}

/** Reads rows, including amounts held in memory. */
function readLedgerRows(
  sql: LedgerStatements,
  { revision, accounts }: AccountCache,
  held: HeldReservations,
  ids: RowIds,
): LedgerRows {
  const found: AccountRow[] = [];
  for (const id of ids.accounts) {
    const row = accounts.get(id) ?? sql.account(id);
    if (!row) continue;
    accounts.set(id, row);
    found.push(held.withHeld(row));
  }
  const reservations: ReservationRow[] = [];
  const billed: string[] = [];
  for (const id of ids.reservations) {
    const row = held.find(id) ?? sql.reservation(id);
    if (row) reservations.push(row);
    else if (sql.isBilled(id)) billed.push(id);
  }
  return { revision, accounts: found, reservations, billed };
}

interface Plan {
  /** Changes that must be written. */
  readonly changes: LedgerChanges;
  readonly undo: () => void;
}

/**
 * Keeps new reservations and their amounts in memory, unless they outlive the process, and returns the
 * remaining changes, which must be written.
 */
function planChanges(changes: LedgerChanges, cache: AccountCache, held: HeldReservations): Plan {
  const lasting = changes.opened.filter(isLasting);
  const { stored, undo } = held.change(
    lasting.length === 0 ? changes.opened : changes.opened.filter((row) => !isLasting(row)),
    changes.closed,
  );
  const accounts = changes.accounts
    .map(held.withoutHeld)
    .filter((account) => !isSame(account, cache.accounts.get(account.id)));
  return { changes: { ...changes, accounts, opened: lasting, closed: stored }, undo };
}

const isEmpty = ({ accounts, opened, closed, usage, resets, alerts }: LedgerChanges): boolean =>
  accounts.length + opened.length + closed.length + usage.length + resets.length + alerts.length === 0;

const isSame = (one: AccountRow, other: AccountRow | undefined): boolean =>
  other !== undefined &&
  one.spent_nano === other.spent_nano &&
  one.reserved_nano === other.reserved_nano &&
  one.running === other.running &&
  one.minute === other.minute &&
  one.window_started_at === other.window_started_at &&
  one.window_ends_at === other.window_ends_at;

/** Reservations that only exist in memory. Accounts in the database do not include them. */
interface HeldReservations {
  readonly find: (id: string) => ReservationRow | undefined;
  /** Adds the held amounts to an account. */
  readonly withHeld: (account: AccountRow) => AccountRow;
  /** Subtracts the held amounts from an account. */
  readonly withoutHeld: (account: AccountRow) => AccountRow;
  readonly change: (opened: readonly ReservationRow[], closed: readonly string[]) => HeldChange;
  readonly all: () => Iterable<ReservationRow>;
  readonly sums: () => Iterable<readonly [accountId: string, HeldSum]>;
}

interface HeldChange {
  /** Closed reservations that exist in the database. */
  readonly stored: readonly string[];
  readonly undo: () => void;
}

interface HeldSum {
  readonly reserved: bigint;
  readonly running: number;
}

function createHeldReservations(): HeldReservations {
  const rows = new OpenItems<string, ReservationRow>();
  const sums = new Map<string, HeldSum>();

  const count = (row: ReservationRow, direction: 1 | -1): void => {
    const { amount_nano } = row;
    for (const id of accountsOf(row)) {
      const { reserved, running } = sums.get(id) ?? NOTHING;
      const next = running + direction;
      if (next === 0) sums.delete(id);
      else
        sums.set(id, {
          reserved: direction === 1 ? reserved + amount_nano : reserved - amount_nano,
          running: next,
        });
    }
  };
  const open = (row: ReservationRow): void => {
    rows.set(row.id, row);
    count(row, 1);
  };
  const close = (row: ReservationRow): void => {
    rows.delete(row.id);
    count(row, -1);
  };
  const shift = (account: AccountRow, direction: 1 | -1): AccountRow => {
    const sum = sums.get(account.id);
    if (!sum) return account;
    const { reserved_nano: own, running } = account;
    return direction === 1
      ? { ...account, reserved_nano: own + sum.reserved, running: running + sum.running }
      : { ...account, reserved_nano: own - sum.reserved, running: running - sum.running };
  };

  return {
    find: (id) => rows.get(id),
    withHeld: (account) => shift(account, 1),
    withoutHeld: (account) => shift(account, -1),
    change(opened, closed) {
      opened.forEach(open);
      const stored = closed.filter((id) => !rows.get(id));
      const removed = closed.map((id) => rows.get(id)).filter((row) => row !== undefined);
      removed.forEach(close);
      const undo = (): void => {
        removed.forEach(open);
        opened.forEach(close);
      };
      return { stored, undo };
    },
    all: () => rows.values(),
    sums: () => sums,
  };
}

const NOTHING: HeldSum = { reserved: 0n, running: 0 };
