import type { LedgerChanges, LedgerRows, RowIds } from '../store.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';
import { isLasting } from '../lasting.ts';
import type { LedgerStatements } from './ledger-statements.ts';
import { accountsOf } from '../account-ids.ts';

/** Accounts cached while this process owns the ledger. */
export interface AccountCache {
  /** The database's `data_version` when the accounts were read. If it changes, they are reread. */
  readonly version: unknown;
  readonly revision: number;
  readonly accounts: Map<string, AccountRow>;
}

/** Reads rows, including amounts held in memory. */
export function readLedgerRows(
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

export interface Plan {
  /** Changes that must be written. */
  readonly changes: LedgerChanges;
  readonly undo: () => void;
}

/**
 * Keeps new reservations and their amounts in memory, unless they outlive the process, and returns the
 * remaining changes, which must be written.
 */
export function planChanges(changes: LedgerChanges, cache: AccountCache, held: HeldReservations): Plan {
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

export const isEmpty = ({ accounts, opened, closed, usage, resets, alerts }: LedgerChanges): boolean =>
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
export interface HeldReservations {
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

export function createHeldReservations(): HeldReservations {
  const rows = new Map<string, ReservationRow>();
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
      const stored = closed.filter((id) => !rows.has(id));
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
