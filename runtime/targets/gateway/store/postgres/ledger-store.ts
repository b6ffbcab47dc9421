import type { Pool, PoolClient } from 'pg';
import type { LedgerChanges, LedgerRows, LedgerStore, WantedRows } from '../api.ts';
import { ACCOUNT_COLUMNS, RESERVATION_COLUMNS, RESET_COLUMNS, USAGE_COLUMNS } from '../columns.ts';
import type { AccountRow, MetaRow, ReservationRow } from '../schema.ts';
import { wholeNumbers } from '../whole-numbers.ts';
import { toJson } from './json.ts';

/**
 * A batch is two trips to the server, however many requests are in it: lock and read, then write and commit. While one is
 * under way the next one fills; a second one at a time, because another process may hold up the first.
 */
export function postgresLedger(pool: Pool): LedgerStore {
  return {
    parallel: 2,
    async run(wanted, decide) {
      const client = await pool.connect();
      try {
        await write(client, decide(await lock(client, wanted)));
        client.release();
      } catch (error) {
        // Whatever state it is in, nobody shall find it so.
        client.release(true);
        throw error;
      }
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
  const { accounts, opened, closed, usage, resets } = changes;
  const values = [toJson(accounts), toJson(opened), closed, toJson(usage), toJson(resets)];
  const [, { command }] = await Promise.all([
    client.query({ name: 'write', text: WRITE, values }),
    client.query('commit'),
  ]);
  // What a transaction that failed answers to a commit.
  if (command === 'ROLLBACK') throw new Error('The transaction was rolled back.');
}

const names = (columns: object, prefix = ''): string =>
  Object.keys(columns)
    .map((column) => prefix + column)
    .join(', ');
const recordset = (parameter: string, columns: object): string =>
  `json_to_recordset(${parameter}::json) as r(${Object.entries(columns)
    .map(([column, type]) => `${column} ${String(type)}`)
    .join(', ')})`;
const insertFrom = (parameter: string, table: string, columns: object): string =>
  `insert into ${table} (${names(columns)}) select ${names(columns, 'r.')} from ${recordset(parameter, columns)}`;

const SELECT_ACCOUNTS = `select ${names(ACCOUNT_COLUMNS)} from gateway_accounts where id = any($1::text[])`;
/** In the order of their ids, so that no two batches ever wait for each other. */
const LOCK_ACCOUNTS = `${SELECT_ACCOUNTS} order by id for update`;
const SELECT_REVISION = 'select revision from gateway_meta';
const SELECT_RESERVATIONS = `select ${names(RESERVATION_COLUMNS)} from gateway_reservations where id = any($1::text[])`;
const SELECT_BILLED = 'select id from gateway_usage where id = any($1::text[])';

const { id: _, ...REST_OF_ACCOUNT } = ACCOUNT_COLUMNS;
const WRITE = `
with
  changed as (
    update gateway_accounts as a
    set ${Object.keys(REST_OF_ACCOUNT)
      .map((column) => `${column} = r.${column}`)
      .join(', ')}
    from ${recordset('$1', ACCOUNT_COLUMNS)} where a.id = r.id
  ),
  opened as (${insertFrom('$2', 'gateway_reservations', RESERVATION_COLUMNS)}),
  closed as (delete from gateway_reservations where id = any($3::text[])),
  used as (${insertFrom('$4', 'gateway_usage', USAGE_COLUMNS)}),
  resets as (${insertFrom('$5', 'gateway_budget_resets', RESET_COLUMNS)})
select 1`;
