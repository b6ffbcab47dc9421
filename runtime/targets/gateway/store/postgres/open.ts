import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types, type PoolClient } from 'pg';
import { createAuditTrail } from '../audit/audit-trail.ts';
import type { Store, LedgerChanges, LedgerRows, LedgerStore, RowIds } from '../store.ts';
import { type Schema, type AccountRow, type MetaRow, type ReservationRow, TABLES } from '../schema.ts';
import { WHOLE_NUMBERS, wholeNumbers } from '../whole-numbers.ts';
import { isLasting } from '../account-ids.ts';
import { storableText } from '../storable-text.ts';
import { columnTypes } from '../define-table.ts';

const isInt8 = (type: number): boolean => type === 20;
const CONNECT_TIMEOUT_MS = 10_000;
/** Statements are short, so a longer one is waiting for a lock that is not released. */
const STATEMENT_TIMEOUT_MS = 30_000;

export interface PostgresOptions {
  readonly url: string;
  readonly connections?: number | undefined;
}

/** Opens a connection pool. Connections are opened on demand, and replaced when they break. */
export function openPostgres({ url, connections = 10 }: PostgresOptions): Store {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'gateway',
    keepAlive: true,
    // Statements of one transaction are sent together, which saves network round trips.
    ...PIPELINED,
    types: { getTypeParser: parserOf },
  });
  // A broken connection already fails its statement, and the pool replaces it. Without these listeners, the
  // error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [WHOLE_NUMBERS] });
  return {
    kind: 'postgres',
    db,
    ledger: postgresLedger(pool),
    audit: createAuditTrail(),
    close: async () => await db.destroy(),
  };
}

/** An option of pg that its types do not have yet. */
const PIPELINED: object = { pipeline: true };

/** Parsers for this pool only, because the whole process shares the library's own parser table. */
const parserOf: typeof types.getTypeParser = (type, format) =>
  isInt8(type) && format !== 'binary' ? BigInt : (types.getTypeParser(type, format) as unknown);

type Decide = (rows: LedgerRows) => LedgerChanges;

/**
 * Runs a batch of requests with one round trip to the server if the cached rows are still current. Otherwise,
 * it needs two more: lock and read, then write and commit. Requests that arrive meanwhile form the next
 * batch. Two batches can run in parallel, because another process can block one of them.
 */
function postgresLedger(pool: Pool): LedgerStore {
  const cache = createRowCache();

  /** Returns false, without changing anything, if the database rows differ from the cached rows. */
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
      // The connection is closed, because it may be in the middle of a transaction.
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
  // For a failed transaction, the response to a commit is ROLLBACK instead of an error.
  if (command === 'ROLLBACK') throw new Error('The transaction was rolled back.');
}

const valuesOf = ({ accounts, opened, closed, usage, resets }: LedgerChanges): unknown[] => [
  toJson(accounts),
  toJson(opened),
  closed,
  toJson(usage),
  toJson(resets),
];

/**
 * Whether the changes only open reservations of this process. Losing those is harmless, so the commit does
 * not have to wait for the server's disk.
 */
const isReservationOnly = ({ opened, closed, usage, resets }: LedgerChanges): boolean =>
  closed.length + usage.length + resets.length === 0 && !opened.some(isLasting);

/**
 * Formats rows as JSON for PostgreSQL. Amounts become strings, to avoid rounding, and characters that it
 * cannot store are replaced.
 */
function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storableText(value) : value;
  });
}

/**
 * Rows as last read or written by this process. Other processes may have changed them since, so decisions
 * based on them are valid only if the database still has the same rows.
 */
interface RowCache {
  /** Returns cached rows; undefined if one is missing or being changed, or if other processes change rows often. */
  readonly guess: (ids: RowIds) => LedgerRows | undefined;
  /** Runs `work`. Until it is done, `guess` does not return these accounts. */
  readonly during: <Result>(ids: RowIds, work: () => Promise<Result>) => Promise<Result>;
  readonly learn: (rows: LedgerRows, changes: LedgerChanges) => void;
  /** Reports whether guessed rows still matched the database. */
  readonly judge: (isRight: boolean) => void;
  readonly forget: (ids: RowIds) => void;
}

const MAX_ACCOUNTS = 10_000;
/** Maximum number of batches without a guess after wrong guesses. */
const MAX_PAUSE = 64;

function createRowCache(): RowCache {
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

const ACCOUNT_COLUMNS = columnTypes(TABLES.gateway_accounts);
const RESERVATION_COLUMNS = columnTypes(TABLES.gateway_reservations);
const USAGE_COLUMNS = columnTypes(TABLES.gateway_usage);
const RESET_COLUMNS = columnTypes(TABLES.gateway_budget_resets);
const ALERT_COLUMNS = columnTypes(TABLES.gateway_alerts);

type Columns = Readonly<Record<string, string>>;

const names = (columns: Columns, prefix = ''): string =>
  Object.keys(columns)
    .map((column) => prefix + column)
    .join(', ');
const recordset = (parameter: string, columns: Columns): string =>
  `json_to_recordset(${parameter}::json) as r(${Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ')})`;
const insertFrom = (parameter: string, table: string, columns: Columns, condition = ''): string =>
  `insert into ${table} (${names(columns)}) select ${names(columns, 'r.')} from ${recordset(parameter, columns)}${condition}`;

const SELECT_ACCOUNTS = `select ${names(ACCOUNT_COLUMNS)} from gateway_accounts where id = any($1::text[])`;
/** Locks accounts in ID order, so that two batches cannot deadlock. */
const LOCK_ACCOUNTS = `${SELECT_ACCOUNTS} order by id for update`;
const SELECT_REVISION = 'select revision from gateway_meta';
const SELECT_RESERVATIONS = `select ${names(RESERVATION_COLUMNS)} from gateway_reservations where id = any($1::text[])`;
const SELECT_BILLED = 'select id from gateway_usage where id = any($1::text[])';

const { id: _, ...REST_OF_ACCOUNT } = ACCOUNT_COLUMNS;
const SET_ACCOUNT = Object.keys(REST_OF_ACCOUNT)
  .map((column) => `${column} = r.${column}`)
  .join(', ');

const WRITE = `
with
  changed as (update gateway_accounts as a set ${SET_ACCOUNT} from ${recordset('$1', ACCOUNT_COLUMNS)} where a.id = r.id),
  opened as (${insertFrom('$2', 'gateway_reservations', RESERVATION_COLUMNS)}),
  closed as (delete from gateway_reservations where id = any($3::text[])),
  used as (${insertFrom('$4', 'gateway_usage', USAGE_COLUMNS)}),
  resets as (${insertFrom('$5', 'gateway_budget_resets', RESET_COLUMNS)})
select 1`;

const IF_UNCHANGED = ' where exists (select from unchanged)';

/**
 * Same as `WRITE`, but in one round trip and only if the accounts ($6), the reservations to close and the
 * revision ($7) are unchanged in the database. Otherwise, it writes nothing and returns no row. With $8, a
 * server crash can lose the changes.
 */
const WRITE_IF_UNCHANGED = `
with
  accounts as (
    select a.id from gateway_accounts as a, ${recordset('$6', ACCOUNT_COLUMNS)}
    where a.id = r.id and ${Object.keys(REST_OF_ACCOUNT)
      .map((column) => `a.${column} is not distinct from r.${column}`)
      .join(' and ')}
    order by a.id for update of a
  ),
  reservations as (select id from gateway_reservations where id = any($3::text[]) for update),
  unchanged as (
    select where (select count(*) from accounts) = json_array_length($6::json)
      and (select count(*) from reservations) = cardinality($3::text[])
      and (${SELECT_REVISION}) = $7::bigint
  ),
  changed as (
    update gateway_accounts as a set ${SET_ACCOUNT} from ${recordset('$1', ACCOUNT_COLUMNS)}
    where a.id = r.id and exists (select from unchanged)
  ),
  opened as (${insertFrom('$2', 'gateway_reservations', RESERVATION_COLUMNS, IF_UNCHANGED)}),
  closed as (delete from gateway_reservations where id = any($3::text[]) and exists (select from unchanged)),
  used as (${insertFrom('$4', 'gateway_usage', USAGE_COLUMNS, IF_UNCHANGED)}),
  resets as (${insertFrom('$5', 'gateway_budget_resets', RESET_COLUMNS, IF_UNCHANGED)})
select case when $8::boolean then set_config('synchronous_commit', 'off', true) end from unchanged`;

/** Alerts are rare, so the statements of ordinary requests omit them. */
const WRITE_ALERTS = insertFrom('$1', 'gateway_alerts', ALERT_COLUMNS, ' on conflict (id) do nothing');

/**
 * Stores what requests in flight have used so far. Rows that are being closed are skipped, so that this never
 * waits.
 */
const NOTE = `
with free as (select id from gateway_reservations where id = any($1::text[]) order by id for update skip locked)
update gateway_reservations as a set interrupted = r.interrupted
from json_to_recordset($2::json) as r(id text, interrupted text), free where a.id = r.id and a.id = free.id`;
