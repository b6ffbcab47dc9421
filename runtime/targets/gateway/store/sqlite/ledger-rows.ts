import type { LedgerChanges, LedgerRows, RowIds } from '../store.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';
import { isLasting } from '../lasting.ts';
import type { HeldReservations } from './held-reservations.ts';
import type { LedgerStatements } from './ledger-statements.ts';

/** Accounts that are cached while this process owns the ledger. */
export interface AccountCache {
  /** `data_version` of the database when the accounts were read. At another version, they are read again. */
  readonly version: unknown;
  readonly revision: number;
  readonly accounts: Map<string, AccountRow>;
}

/** Reads rows, including the amounts that are held in memory. */
export function readRows(
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

/** Keeps new reservations and their amounts in memory, unless they outlive the process, and returns the remaining changes, which must be written. */
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
