import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerStore } from '../../store/store.ts';
import { databaseUnavailable, isBadData, isContention } from '../../store/database-error.ts';
import { type Book, createBook } from './book.ts';

/** Something to do with rows; it may be done twice, when nobody knows whether the first time was committed. */
interface Operation<Result> {
  readonly accounts: readonly string[];
  readonly reservation: string;
  /** There is nothing of the reservation yet, unless this is not the first attempt. */
  readonly isNew?: boolean;
  readonly apply: (book: Book) => Result;
}

/** Collects operations, so that all that arrive while one transaction is written share the next one. */
export interface BatchQueue {
  /** Resolves when the result is durable. */
  run<Result>(operation: Operation<Result>): Promise<Result>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** So that one batch does not hold up the event loop for long. */
const MOST_AT_ONCE = 256;
/** Someone else's transaction takes milliseconds. */
const CONTENTION_RETRIES = 60;
const LONGEST_PAUSE_MS = 100;

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

export function createBatchQueue(store: LedgerStore, onRevision: (revision: number) => void): BatchQueue {
  const waiting: Waiting[] = [];
  const running = new Set<Promise<void>>();
  let scheduled = false;

  const perform = async (batch: readonly Waiting[], isFirst: boolean): Promise<unknown[]> => {
    let results: unknown[] = [];
    const wanted = {
      accounts: new Set(batch.flatMap(({ operation }) => operation.accounts)),
      reservations: batch
        .filter(({ operation }) => !(isFirst && operation.isNew))
        .map(({ operation }) => operation.reservation),
    };
    await store.run(wanted, (rows) => {
      onRevision(rows.revision);
      const book = createBook(rows);
      results = batch.map(({ operation }) => operation.apply(book));
      return book.changes();
    });
    return results;
  };

  const work = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const results = await persist(async (isFirst) => await perform(batch, isFirst));
      batch.forEach(({ resolve }, index) => resolve(results[index] as never));
    } catch (error) {
      // One that cannot be stored must not take the others with it.
      if (isBadData(error) && batch.length > 1) for (const one of batch) await work([one]);
      else for (const { reject } of batch) reject(databaseUnavailable(error));
    }
  };

  const start = (): void => {
    scheduled = false;
    const batch = waiting.splice(0, MOST_AT_ONCE);
    if (batch.length === 0) return;
    const done = work(batch).finally(() => {
      running.delete(done);
      schedule();
    });
    running.add(done);
    schedule();
  };
  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || running.size >= store.parallel) return;
    scheduled = true;
    // After all requests that have arrived by now, so that they share a transaction.
    setImmediate(start);
  };

  /** What is only to be remembered need not wait for what is written. */
  const keep = <Result>({ accounts, apply }: Operation<Result>): { readonly result: Result } | undefined => {
    let result: Result | undefined;
    const isKept = store.keep({ accounts, reservations: [] }, (rows) => {
      onRevision(rows.revision);
      const book = createBook(rows);
      result = apply(book);
      return book.changes();
    });
    return isKept ? { result: result as Result } : undefined;
  };

  return {
    run: async (operation) => {
      const kept = operation.isNew ? keep(operation) : undefined;
      if (kept) return kept.result;
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      waiting.push({ operation, resolve, reject });
      schedule();
      return await promise;
    },
    idle: async () => {
      while (waiting.length > 0 || running.size > 0) {
        await Promise.all(running);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Tries again what another transaction was in the way of, and once what failed with its connection. */
async function persist<Result>(attempt: (isFirst: boolean) => Promise<Result>): Promise<Result> {
  for (let tries = 1, isSecondConnection = false; ; tries += 1) {
    try {
      return await attempt(tries === 1);
    } catch (error) {
      if (isContention(error) && tries < CONTENTION_RETRIES) {
        await sleep(Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(tries, 10)));
      } else if (isContention(error) || isBadData(error) || isSecondConnection) {
        throw error;
      } else {
        isSecondConnection = true;
      }
    }
  }
}
