import { sql } from 'kysely';
import type { AlertState } from '../shared/record-words.ts';
import { DATABASE_NOW } from '../store/database-now.ts';
import type { ListPage } from '../store/page.ts';
import type { AlertRow } from '../store/record-schema.ts';
import type { Store } from '../store/store.ts';

/** The alerts in the database, which all gateways share. */
export interface Outbox {
  /** Alerts, newest first. */
  list(page: ListPage, state?: AlertState): Promise<readonly AlertRow[]>;
  /** Alerts that are due, oldest first. */
  due(): Promise<readonly AlertRow[]>;
  /**
   * Leases an alert to this process and counts the attempt. Returns false if another process was faster. If
   * this process is killed, the alert becomes due again when the lease expires.
   */
  lease(alert: AlertRow): Promise<boolean>;
  sent(id: string): Promise<void>;
  /** Schedules the next attempt, or gives up if there is no delay. */
  failed(id: string, problem: string, delayMs: number | undefined): Promise<void>;
}

/** Longer than the timeout for an attempt. */
const LEASE_MS = 60_000;
const BATCH_SIZE = 20;
const MAX_PROBLEM_LENGTH = 500;

export function createOutbox({ db, kind }: Pick<Store, 'db' | 'kind'>): Outbox {
  // The database clock, which all processes share.
  const now = DATABASE_NOW[kind];
  const inMs = (milliseconds: number) => sql<number>`${now} + ${sql.lit(Math.round(milliseconds))}`;
  return {
    list: async ({ skip, limit }, state) =>
      await db
        .selectFrom('gateway_alerts')
        .selectAll()
        .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'pending'))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(skip)
        .execute(),
    due: async () =>
      await db
        .selectFrom('gateway_alerts')
        .selectAll()
        .where('state', '=', 'pending')
        .where('next_attempt_at', '<=', now)
        .orderBy('created_at')
        .limit(BATCH_SIZE)
        .execute(),
    lease: async ({ id, attempts }) => {
      const { numUpdatedRows } = await db
        .updateTable('gateway_alerts')
        .set({ attempts: attempts + 1, next_attempt_at: inMs(LEASE_MS) })
        .where('id', '=', id)
        .where('state', '=', 'pending')
        .where('attempts', '=', attempts)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    sent: async (id) => {
      await db
        .updateTable('gateway_alerts')
        .set({ state: 'sent', sent_at: now, problem: null })
        .where('id', '=', id)
        .execute();
    },
    failed: async (id, problem, delayMs) => {
      await db
        .updateTable('gateway_alerts')
        .set({
          problem: problem.slice(0, MAX_PROBLEM_LENGTH),
          ...(delayMs === undefined ? { state: 'failed' } : { next_attempt_at: inMs(delayMs) }),
        })
        .where('id', '=', id)
        .execute();
    },
  };
}
