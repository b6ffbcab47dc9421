import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Store } from './store.ts';
import { databaseUnavailable } from './database-error.ts';
import type { Schema } from './schema.ts';

/** Between two looks at whether another process changed something, where nothing else tells. */
const LOOK_EVERY_MS = 1000;

/** The database's revision as far as this process knows it; what was remembered at another one is read again. */
export interface FollowedRevision {
  /** The ledger reads it with every batch, and tells. */
  readonly noticed: (revision: number) => void;
  /** Not older than a second; a promise only where that has to be asked. */
  readonly current: () => number | Promise<number>;
  /**
   * Runs what changes users, keys, budgets or prices in a transaction, one at a time in all processes, and lets everybody know
   * afterwards that what they remember of them is old.
   */
  readonly change: <Result>(work: (trx: Transaction<Schema>) => Promise<Result>) => Promise<Result>;
}

export function followRevision({ db }: Pick<Store, 'db'>, clock: Clock): FollowedRevision {
  let known = -1;
  let lookedAt = -Infinity;
  let looking: Promise<number> | undefined;

  const noticed = (revision: number): void => {
    known = Math.max(known, revision);
    lookedAt = clock.now();
  };
  const look = async (): Promise<number> => {
    noticed(await readRevision(db));
    return known;
  };
  return {
    noticed,
    current() {
      if (Math.abs(clock.now() - lookedAt) < LOOK_EVERY_MS) return known;
      looking ??= look().finally(() => (looking = undefined));
      return looking;
    },
    change: async (work) => {
      const transaction = db.transaction().execute(async (trx) => {
        // First of all, so that whoever changes something waits for whoever is about to.
        await trx
          .updateTable('gateway_meta')
          .set({ revision: sql<number>`revision + 1` })
          .execute();
        return { result: await work(trx), revision: await readRevision(trx) };
      });
      const { result, revision } = await transaction.catch((error: unknown) => {
        throw databaseUnavailable(error);
      });
      noticed(revision);
      return result;
    },
  };
}

async function readRevision(db: Kysely<Schema>): Promise<number> {
  const { revision } = await db.selectFrom('gateway_meta').select('revision').executeTakeFirstOrThrow();
  return revision;
}
