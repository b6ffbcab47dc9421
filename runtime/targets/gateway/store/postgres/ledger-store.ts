import type { Pool, PoolClient } from 'pg';
import type { LedgerChanges, LedgerRows, LedgerStore, WantedRows } from '../store.ts';
import type { AccountRow, MetaRow, ReservationRow } from '../schema.ts';
import { wholeNumbers } from '../whole-numbers.ts';
import { toJson } from './json.ts';
import { createKnownRows } from './known-rows.ts';
import {
  LOCK_ACCOUNTS,
  SELECT_ACCOUNTS,
  SELECT_BILLED,
  SELECT_RESERVATIONS,
  SELECT_REVISION,
  WRITE,
  WRITE_IF_AS_KNOWN,
} from './statements.ts';

type Decide = (rows: LedgerRows) => LedgerChanges;

/**
 * A batch is one trip to the server, however many requests are in it, where the rows are still as this process knows them; else
 * it is two more: lock and read, then write and commit. While one is under way the next one fills; a second one at a time,
 * because another process may hold up the first.
 */
export function postgresLedger(pool: Pool): LedgerStore {
  const known = createKnownRows();

  /** False if the rows are not as they are known; then nothing was written. */
  const runKnown = async (rows: LedgerRows, decide: Decide): Promise<boolean> => {
    const changes = decide(rows);
    const { rowCount } = await pool.query({
      name: 'write-if-as-known',
      text: WRITE_IF_AS_KNOWN,
      values: [...valuesOf(changes), toJson(rows.accounts), rows.revision, isHoldAlone(changes)],
    });
    const isRight = rowCount === 1;
    known.judge(isRight);
    if (isRight) known.learn(rows, changes);
    return isRight;
  };

  const runLocked = async (wanted: WantedRows, decide: Decide): Promise<void> => {
    const client = await pool.connect();
    try {
      const rows = await lock(client, wanted);
      const changes = decide(rows);
      await write(client, changes);
      known.learn(rows, changes);
      client.release();
    } catch (error) {
      // Whatever state it is in, nobody shall find it so.
      client.release(true);
      throw error;
    }
  };

  return {
    parallel: 2,
    async run(wanted, decide) {
      const rows = known.guess(wanted);
      await known.during(wanted, async () => {
        try {
          if (!(rows && (await runKnown(rows, decide)))) await runLocked(wanted, decide);
        } catch (error) {
          known.forget(wanted);
          throw error;
        }
      });
    },
    // Other processes see whatever this one holds.
    keep: () => false,
    join: () => undefined,
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

async function lock(client: PoolClient, wanted: WantedRows): Promise<LedgerRows> {
  const [, accounts, meta, { reservations, billed }] = await Promise.all([
    client.query('begin'),
    client.query<AccountRow>({ name: 'lock', text: LOCK_ACCOUNTS, values: [[...wanted.accounts]] }),
    client.query<MetaRow>({ name: 'revision', text: SELECT_REVISION }),
    find(client, [...wanted.reservations]),
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
  const [, { command }] = await Promise.all([
    client.query({ name: 'write', text: WRITE, values: valuesOf(changes) }),
    client.query('commit'),
  ]);
  // What a transaction that failed answers to a commit.
  if (command === 'ROLLBACK') throw new Error('The transaction was rolled back.');
}

const valuesOf = ({ accounts, opened, closed, usage, resets }: LedgerChanges): unknown[] => [
  toJson(accounts),
  toJson(opened),
  closed,
  toJson(usage),
  toJson(resets),
];

/** What is only held is given back when it is lost, so nobody has to wait for the server's disk. */
const isHoldAlone = ({ closed, usage, resets }: LedgerChanges): boolean =>
  closed.length + usage.length + resets.length === 0;
