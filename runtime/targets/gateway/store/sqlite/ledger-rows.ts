import type { LedgerChanges, LedgerRows, WantedRows } from '../store.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';
import type { HeldReservations } from './held-reservations.ts';
import type { LedgerStatements } from './ledger-statements.ts';

/** What of the database is known by heart. */
export interface Known {
  /** Of the database when that was read: at another one, all of it is read again. */
  readonly version: unknown;
  readonly revision: number;
  readonly accounts: Map<string, AccountRow>;
}

/** The rows as they are with what is held in memory. */
export function readRows(
  sql: LedgerStatements,
  { revision, accounts }: Known,
  held: HeldReservations,
  wanted: WantedRows,
): LedgerRows {
  const found: AccountRow[] = [];
  for (const id of wanted.accounts) {
    const row = accounts.get(id) ?? sql.account(id);
    if (!row) continue;
    accounts.set(id, row);
    found.push(held.added(row));
  }
  const reservations: ReservationRow[] = [];
  const billed: string[] = [];
  for (const id of wanted.reservations) {
    const row = held.find(id) ?? sql.reservation(id);
    if (row) reservations.push(row);
    else if (sql.isBilled(id)) billed.push(id);
  }
  return { revision, accounts: found, reservations, billed };
}

export interface Plan {
  /** What is left to write. */
  readonly changes: LedgerChanges;
  readonly undo: () => void;
}

/** Keeps in memory what may stay there: new reservations, and what they add to accounts. */
export function keepHeld(changes: LedgerChanges, known: Known, held: HeldReservations): Plan {
  const { elsewhere, undo } = held.change(changes.opened, changes.closed);
  const accounts = changes.accounts
    .map(held.taken)
    .filter((account) => !isSame(account, known.accounts.get(account.id)));
  return { changes: { ...changes, accounts, opened: [], closed: elsewhere }, undo };
}

export const isNothing = ({ accounts, opened, closed, usage, resets }: LedgerChanges): boolean =>
  accounts.length + opened.length + closed.length + usage.length + resets.length === 0;

const isSame = (one: AccountRow, other: AccountRow | undefined): boolean =>
  other !== undefined &&
  one.spent_nano === other.spent_nano &&
  one.reserved_nano === other.reserved_nano &&
  one.running === other.running &&
  one.minute === other.minute &&
  one.window_started_at === other.window_started_at &&
  one.window_ends_at === other.window_ends_at;
