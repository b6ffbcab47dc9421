import { accountIdsOf, chargedAccountsOf } from '../account-ids.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';

/** Reservations that are only in memory. Accounts in the database do not include them. */
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
  /** Closed reservations that are in the database. */
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
    for (const id of accountIdsOf(chargedAccountsOf(row))) {
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
