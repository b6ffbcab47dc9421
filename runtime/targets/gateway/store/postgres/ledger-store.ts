import type { Pool, PoolClient } from 'pg';
import type { LedgerChanges, LedgerRows, LedgerStore, RowIds } from '../store.ts';
import type { AccountRow, MetaRow, ReservationRow } from '../schema.ts';
import { isLasting } from '../lasting.ts';
import { storableText } from '../storable-text.ts';
import { wholeNumbers } from '../whole-numbers.ts';
import { createRowCache } from './row-cache.ts';
import {
  LOCK_ACCOUNTS,
  NOTE,
  SELECT_ACCOUNTS,
  SELECT_BILLED,
  SELECT_RESERVATIONS,
  SELECT_REVISION,
  WRITE,
  WRITE_ALERTS,
  WRITE_IF_UNCHANGED,
} from './statements.ts';

type Decide = (rows: LedgerRows) => LedgerChanges;

/**
 * Runs a batch of requests with one round trip to the server if the cached rows are still current. Otherwise it needs two more: lock
 * and read, then write and commit. Requests that arrive meanwhile form the next batch. Two batches can run in parallel, because
 * another process can block one of them.
 */
export function postgresLedger(pool: Pool): LedgerStore {
  const cache = createRowCache();

  /** Returns false, without a change, if the rows in the database differ from the cached rows. */
  const runCached = async (rows: LedgerRows, decide: Decide): Promise<boolean> => {
    const changes = decide(rows);
    if (changes.alerts.length > 0) return false;
    const { rowCount } = await pool.query({
      name: 'write-if-unchanged',
      text: WRITE_IF_UNCHANGED,
      values: [...valuesOf(changes), toJson(rows.accounts), rows.revision, isReservationOnly(changes)],
    });
    const isRight = rowCount === 1;
    cache.judge(isRight);
    if (isRight) cache.learn(rows, changes);
    return isRight;
  };

  const runLocked = async (ids: RowIds, decide: Decide): Promise<void> => {
    const client = await pool.connect();
    try {
      const rows = await lock(client, ids);
      const changes = decide(rows);
      await write(client, changes);
      cache.learn(rows, changes);
      client.release();
    } catch (error) {
      // The connection is closed, because it can be in the middle of a transaction.
      client.release(true);
      throw error;
    }
  };

  return {
    parallel: 2,
    async run(ids, decide) {
      const rows = cache.guess(ids);
      await cache.during(ids, async () => {
        try {
          if (!(rows && (await runCached(rows, decide)))) await runLocked(ids, decide);
        } catch (error) {
          cache.forget(ids);
          throw error;
        }
      });
    },
    // Reservations are always written, because other processes must see them.
    keep: () => false,
    join: () => undefined,
    note: async (notes) => {
      await pool.query({ name: 'note', text: NOTE, values: [notes.map(({ id }) => id), toJson(notes)] });
    },
    accounts: async (ids) => {
      const { rows } = await pool.query<AccountRow>({
        name: 'accounts',
        text: SELECT_ACCOUNTS,
        values: [[...ids]],
      });
      return rows.map(wholeNumbers);
    },
    sync: () => Promise.resolve(),
  };
}

async function lock(client: PoolClient, ids: RowIds): Promise<LedgerRows> {
  const [, accounts, meta, { reservations, billed }] = await Promise.all([
    client.query('begin'),
    client.query<AccountRow>({ name: 'lock', text: LOCK_ACCOUNTS, values: [[...ids.accounts]] }),
    client.query<MetaRow>({ name: 'revision', text: SELECT_REVISION }),
    find(client, [...ids.reservations]),
  ]);
  return {
    accounts: accounts.rows.map(wholeNumbers),
    revision: Number(meta.rows[0]?.revision),
    reservations,
    billed,
  };
}

async function find(
  client: PoolClient,
  ids: readonly string[],
): Promise<Pick<LedgerRows, 'reservations' | 'billed'>> {
  if (ids.length === 0) return { reservations: [], billed: [] };
  const [held, billed] = await Promise.all([
    client.query<ReservationRow>({ name: 'held', text: SELECT_RESERVATIONS, values: [ids] }),
    client.query<{ id: string }>({ name: 'billed', text: SELECT_BILLED, values: [ids] }),
  ]);
  return { reservations: held.rows.map(wholeNumbers), billed: billed.rows.map(({ id }) => id) };
}

async function write(client: PoolClient, changes: LedgerChanges): Promise<void> {
  const { alerts } = changes;
  const [, , { command }] = await Promise.all([
    client.query({ name: 'write', text: WRITE, values: valuesOf(changes) }),
    alerts.length === 0
      ? undefined
      : client.query({ name: 'alerts', text: WRITE_ALERTS, values: [toJson(alerts)] }),
    client.query('commit'),
  ]);
  // A failed transaction answers a commit with ROLLBACK instead of an error.
  if (command === 'ROLLBACK') throw new Error('The transaction was rolled back.');
}

const valuesOf = ({ accounts, opened, closed, usage, resets }: LedgerChanges): unknown[] => [
  toJson(accounts),
  toJson(opened),
  closed,
  toJson(usage),
  toJson(resets),
];

/** Whether the changes only open reservations of this process. Losing those is harmless, so the commit need not wait for the server's disk. */
const isReservationOnly = ({ opened, closed, usage, resets }: LedgerChanges): boolean =>
  closed.length + usage.length + resets.length === 0 && !opened.some(isLasting);

/** Formats rows as JSON for PostgreSQL. Amounts become texts, which are not rounded, and characters that it cannot store are replaced. */
function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storableText(value) : value;
  });
}
