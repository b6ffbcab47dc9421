import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { AuditEvent } from './audit/audit-trail.ts';
import type { Store } from './store.ts';
import { databaseUnavailable } from './database-error.ts';
import type { Schema } from './schema.ts';

/** How long the revision is considered current without rereading it. */
const MAX_AGE_MS = 1000;

/** The database revision as known to this process. Values cached at another revision must be reread. */
export interface FollowedRevision {
  /** Receives the revision that the ledger reads with every batch, so that it does not have to be read separately. */
  readonly noticed: (revision: number) => void;
  /** Returns the revision, at most one second old. Only returns a promise if the database must be queried. */
  readonly current: () => number | Promise<number>;
  /**
   * Changes users, keys, budgets or prices in a transaction, serialized across all processes, and increments
   * the revision, so that all processes discard the related caches. Changes that `work` passes to `note` are
   * recorded in the audit log, in the same transaction.
   */
  readonly change: <Result>(
    work: (trx: Transaction<Schema>, note: NoteChange) => Promise<Result>,
  ) => Promise<Result>;
}

/** Reports a change to an object for the audit log. */
export type NoteChange = (
  action: string,
  object: string | undefined,
  states: Pick<AuditEvent, 'before' | 'after'>,
) => void;

/**
 * `onChange` is called with each revision that this process has created. Changes only take effect for callers
 * when it resolves.
 */
export function followRevision(
  { db, audit }: Pick<Store, 'db' | 'audit'>,
  clock: Clock,
  onChange: (revision: number) => Promise<void> | undefined = () => undefined,
): FollowedRevision {
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
        const events: AuditEvent[] = [];
        const at = clock.now();
        const result = await work(trx, (action, object, states) =>
          events.push({ at, action, object, ...states }),
        );
        for (const event of events) await audit.record(trx, event);
        return { result, revision: await readRevision(trx) };
      });
      const { result, revision } = await transaction.catch((error: unknown) => {
        throw databaseUnavailable(error);
      });
      noticed(revision);
      await onChange(revision);
      return result;
    },
  };
}

async function readRevision(db: Kysely<Schema>): Promise<number> {
  const { revision } = await db.selectFrom('gateway_meta').select('revision').executeTakeFirstOrThrow();
  return revision;
}
