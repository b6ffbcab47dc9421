import { keyAccount, userAccount } from '../account-ids.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';

/** Reservations that are in memory alone. The accounts in the database know nothing of them. */
export interface HeldReservations {
  readonly find: (id: string) => ReservationRow | undefined;
  /** The account with what is held for it. */
  readonly added: (account: AccountRow) => AccountRow;
  /** The same without it. */
  readonly taken: (account: AccountRow) => AccountRow;
  readonly change: (opened: readonly ReservationRow[], closed: readonly string[]) => HeldChange;
  readonly all: () => Iterable<ReservationRow>;
  readonly sums: () => Iterable<readonly [accountId: string, HeldSum]>;
}

interface HeldChange {
  /** Those of the closed ones that are in the database. */
  readonly elsewhere: readonly string[];
  readonly undo: () => void;
}

interface HeldSum {
  readonly reserved: bigint;
  readonly running: number;
}

export function holdReservations(): HeldReservations {
  const rows = new Map<string, ReservationRow>();
  const sums = new Map<string, HeldSum>();

  const count = ({ user_id, key_id, amount_nano }: ReservationRow, direction: 1 | -1): void => {
    for (const id of key_id === null ? [userAccount(user_id)] : [userAccount(user_id), keyAccount(key_id)]) {
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
    added: (account) => shift(account, 1),
    taken: (account) => shift(account, -1),
    change(opened, closed) {
      opened.forEach(open);
      const elsewhere = closed.filter((id) => !rows.has(id));
      const gone = closed.map((id) => rows.get(id)).filter((row) => row !== undefined);
      gone.forEach(close);
      const undo = (): void => {
        gone.forEach(open);
        opened.forEach(close);
      };
      return { elsewhere, undo };
    },
    all: () => rows.values(),
    sums: () => sums,
  };
}

const NOTHING: HeldSum = { reserved: 0n, running: 0 };
