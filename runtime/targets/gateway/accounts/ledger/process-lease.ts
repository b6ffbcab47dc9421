import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { DATABASE_NOW } from '../../store/database-now.ts';
import type { ReservationRow, Schema } from '../../store/schema.ts';
import { LASTING } from '../../store/account-ids.ts';
import { isGone, machineName } from '../../store/machine.ts';

/** A process without a heartbeat for this long counts as dead. It is three times the heartbeat interval. */
const DEAD_AFTER_MS = 30_000;
export const HEARTBEAT_INTERVAL_MS = 10_000;

/** Registers this process as alive, and finds reservations of dead processes. */
export interface ProcessLease {
  readonly id: string;
  readonly renew: () => Promise<void>;
  /** Reservations of dead processes. */
  readonly leftOver: () => Promise<readonly ReservationRow[]>;
  /** Removes dead processes without reservations. */
  readonly forget: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export function createProcessLease({ db, kind }: Pick<Store, 'db' | 'kind'>): ProcessLease {
  const id = randomUUID();
  const machine = machineName();
  const now = DATABASE_NOW[kind];
  // Compared with the database clock, which all processes share.
  const isOld = sql<boolean>`seen_at < ${now} - ${sql.lit(DEAD_AFTER_MS)}`;

  const dead = async (): Promise<string[]> => {
    const rows = await db
      .selectFrom('gateway_processes')
      .select(['id', 'pid', 'seen_at', isOld.as('is_old')])
      .select((row) => row('machine', '=', machine).as('is_here'))
      .where('id', '!=', id)
      .execute();
    return rows.filter((row) => row.is_old || (row.is_here && isGone(row))).map((row) => row.id);
  };

  return {
    id,
    renew: async () => {
      const row = { id, machine, pid: process.pid, seen_at: now };
      await db.transaction().execute(
        async (trx) =>
          await trx
            .insertInto('gateway_processes')
            .values(row)
            .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
            .execute(),
      );
    },
    leftOver: async () => {
      const ids = await dead();
      return await db
        .selectFrom('gateway_reservations')
        .selectAll()
        .where('process_id', '!=', LASTING)
        .where((row) =>
          row.or([
            ...(ids.length === 0 ? [] : [row('process_id', 'in', ids)]),
            // Reservations of a process that was removed although it was still alive.
            row('process_id', 'not in', row.selectFrom('gateway_processes').select('id')),
          ]),
        )
        .execute();
    },
    forget: async () => {
      const ids = await dead();
      if (ids.length > 0) await forgetProcesses(db, ids);
    },
    end: async () => await forgetProcesses(db, [id]),
  };
}

async function forgetProcesses(db: Kysely<Schema>, ids: readonly string[]): Promise<void> {
  await db.transaction().execute(
    async (trx) =>
      await trx
        .deleteFrom('gateway_processes')
        .where('id', 'in', ids)
        .where('id', 'not in', (row) => row.selectFrom('gateway_reservations').select('process_id'))
        .execute(),
  );
}
