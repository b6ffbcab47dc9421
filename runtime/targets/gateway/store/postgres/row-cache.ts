import type { LedgerChanges, LedgerRows, RowIds } from '../store.ts';
import type { AccountRow, ReservationRow } from '../schema.ts';

/**
 * Rows as this process read or wrote them last. Other processes can have changed them since, so decisions based on them are valid
 * only if the database still has the same rows.
 */
export interface RowCache {
  /** Returns cached rows; undefined if one is missing or being changed, or if other processes change rows often. */
  readonly guess: (ids: RowIds) => LedgerRows | undefined;
  /** Runs `work`. `guess` does not return these accounts until it is done. */
  readonly during: <Result>(ids: RowIds, work: () => Promise<Result>) => Promise<Result>;
  readonly learn: (rows: LedgerRows, changes: LedgerChanges) => void;
  /** Reports whether guessed rows were still the same in the database. */
  readonly judge: (isRight: boolean) => void;
  readonly forget: (ids: RowIds) => void;
}

const MAX_ACCOUNTS = 10_000;
/** Maximum number of batches without a guess after wrong guesses. */
const MAX_PAUSE = 64;

export function createRowCache(): RowCache {
  const accounts = new Map<string, AccountRow>();
  const reservations = new Map<string, ReservationRow>();
  const busy = new Map<string, number>();
  let revision: number | undefined;
  /** Number of batches until the next guess, and its value after the next wrong guess. */
  let pause = 0;
  let nextPause = 1;

  const count = (id: string, difference: number): void => {
    const next = (busy.get(id) ?? 0) + difference;
    if (next === 0) busy.delete(id);
    else busy.set(id, next);
  };

  return {
    guess(ids) {
      if (pause > 0) {
        pause -= 1;
        return undefined;
      }
      const accountIds = [...ids.accounts];
      if (revision === undefined || accountIds.some((id) => busy.has(id))) return undefined;
      const found = accountIds.map((id) => accounts.get(id));
      const held = Array.from(ids.reservations, (id) => reservations.get(id));
      if (!found.every(isPresent) || !held.every(isPresent)) return undefined;
      return { revision, accounts: found, reservations: held, billed: [] };
    },
    async during(ids, work) {
      const accountIds = [...ids.accounts];
      for (const id of accountIds) count(id, 1);
      try {
        return await work();
      } finally {
        for (const id of accountIds) count(id, -1);
      }
    },
    learn(rows, changes) {
      ({ revision } = rows);
      if (accounts.size > MAX_ACCOUNTS) accounts.clear();
      for (const account of [...rows.accounts, ...changes.accounts]) accounts.set(account.id, account);
      for (const reservation of changes.opened) reservations.set(reservation.id, reservation);
      for (const id of changes.closed) reservations.delete(id);
    },
    judge(isRight) {
      if (isRight) nextPause = 1;
      else {
        pause = nextPause;
        nextPause = Math.min(MAX_PAUSE, 2 * nextPause);
      }
    },
    forget(ids) {
      for (const id of ids.accounts) accounts.delete(id);
    },
  };
}

const isPresent = <Row>(row: Row | undefined): row is Row => row !== undefined;
