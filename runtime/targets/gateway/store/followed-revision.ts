import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Store } from './store.ts';
import { databaseUnavailable } from './database-error.ts';
import type { Schema } from './schema.ts';

/** How long the revision is considered current without reading it again. */
const MAX_AGE_MS = 1000;

/** The database's revision as known to this process. Values that were cached at another revision must be read again. */
export interface FollowedRevision {
  /** Takes the revision that the ledger reads with every batch, so that it need not be read separately. */
  readonly noticed: (revision: number) => void;
  /** Returns the revision, at most one second old. It is a promise only if the database has to be queried. */
  readonly current: () => number | Promise<number>;
  /**
   * Changes users, keys, budgets or prices in a transaction, one at a time over all processes, and increments the revision, so that
   * all processes discard what they have cached of them.
   */
  readonly change: <Result>(work: (trx: Transaction<Schema>) => Promise<Result>) => Promise<Result>;
}

export function followRevision({ db }: Pick<Store, 'db'>, clock: Clock): FollowedRevision {
  let known = -1;
  let readAt = -Infinity;
  let refreshing: Promise<number> | undefined;

  const noticed = (revision: number): void => {
    known = Math.max(known, revision);
    readAt = clock.now();
  };
  const refresh = async (): Promise<number> => {
    noticed(await readRevision(db));
    return known;
  };
  return {
    noticed,
    current() {
      if (Math.abs(clock.now() - readAt) < MAX_AGE_MS) return known;
      refreshing ??= refresh().finally(() => (refreshing = undefined));
      return refreshing;
    },
    change: async (work) => {
      const transaction = db.transaction().execute(async (trx) => {
        // The first statement locks the row, so that concurrent changes wait for each other.
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
