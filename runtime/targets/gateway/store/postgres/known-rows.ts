import type { LedgerChanges, LedgerRows, WantedRows } from '../store.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';

/**
 * Rows as this process saw or wrote them last. Others may have changed them since: what is decided by them counts only if they
 * are the same in the database.
 */
export interface KnownRows {
  /** Undefined where a row is not known, is being changed here, or where others change rows all the time. */
  readonly guess: (wanted: WantedRows) => LedgerRows | undefined;
  /** Nobody guesses these accounts until the work is done. */
  readonly during: <Result>(wanted: WantedRows, work: () => Promise<Result>) => Promise<Result>;
  readonly learn: (rows: LedgerRows, changes: LedgerChanges) => void;
  /** Whether the guess was right. */
  readonly judge: (isRight: boolean) => void;
  readonly forget: (wanted: WantedRows) => void;
}

const MOST_KNOWN = 10_000;
/** After so many batches at most another guess is made. */
const LONGEST_DOUBT = 64;

export function createKnownRows(): KnownRows {
  const accounts = new Map<string, AccountRow>();
  const reservations = new Map<string, ReservationRow>();
  const busy = new Map<string, number>();
  let revision: number | undefined;
  /** How many batches are not to be guessed, and how many after the next wrong guess. */
  let doubt = 0;
  let nextDoubt = 1;

  const count = (id: string, difference: number): void => {
    const next = (busy.get(id) ?? 0) + difference;
    if (next === 0) busy.delete(id);
    else busy.set(id, next);
  };

  return {
    guess(wanted) {
      if (doubt > 0) {
        doubt -= 1;
        return undefined;
      }
      const ids = [...wanted.accounts];
      if (revision === undefined || ids.some((id) => busy.has(id))) return undefined;
      const found = ids.map((id) => accounts.get(id));
      const held = Array.from(wanted.reservations, (id) => reservations.get(id));
      if (!found.every(isThere) || !held.every(isThere)) return undefined;
      return { revision, accounts: found, reservations: held, billed: [] };
    },
    async during(wanted, work) {
      const ids = [...wanted.accounts];
      for (const id of ids) count(id, 1);
      try {
        return await work();
      } finally {
        for (const id of ids) count(id, -1);
      }
    },
    learn(rows, changes) {
      ({ revision } = rows);
      if (accounts.size > MOST_KNOWN) accounts.clear();
      for (const account of [...rows.accounts, ...changes.accounts]) accounts.set(account.id, account);
      for (const reservation of changes.opened) reservations.set(reservation.id, reservation);
      for (const id of changes.closed) reservations.delete(id);
    },
    judge(isRight) {
      if (isRight) nextDoubt = 1;
      else {
        doubt = nextDoubt;
        nextDoubt = Math.min(LONGEST_DOUBT, 2 * nextDoubt);
      }
    },
    forget(wanted) {
      for (const id of wanted.accounts) accounts.delete(id);
    },
  };
}

const isThere = <Row>(row: Row | undefined): row is Row => row !== undefined;
