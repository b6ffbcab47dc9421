import { columnTypes } from '../define-table.ts';
import { TABLES } from '../schema.ts';

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

export const SELECT_ACCOUNTS = `select ${names(ACCOUNT_COLUMNS)} from gateway_accounts where id = any($1::text[])`;
/** Locks accounts in the order of their ids, so that two batches cannot deadlock. */
export const LOCK_ACCOUNTS = `${SELECT_ACCOUNTS} order by id for update`;
export const SELECT_REVISION = 'select revision from gateway_meta';
export const SELECT_RESERVATIONS = `select ${names(RESERVATION_COLUMNS)} from gateway_reservations where id = any($1::text[])`;
export const SELECT_BILLED = 'select id from gateway_usage where id = any($1::text[])';

const { id: _, ...REST_OF_ACCOUNT } = ACCOUNT_COLUMNS;
const SET_ACCOUNT = Object.keys(REST_OF_ACCOUNT)
  .map((column) => `${column} = r.${column}`)
  .join(', ');

export const WRITE = `
with
  changed as (update gateway_accounts as a set ${SET_ACCOUNT} from ${recordset('$1', ACCOUNT_COLUMNS)} where a.id = r.id),
  opened as (${insertFrom('$2', 'gateway_reservations', RESERVATION_COLUMNS)}),
  closed as (delete from gateway_reservations where id = any($3::text[])),
  used as (${insertFrom('$4', 'gateway_usage', USAGE_COLUMNS)}),
  resets as (${insertFrom('$5', 'gateway_budget_resets', RESET_COLUMNS)})
select 1`;

const IF_UNCHANGED = ' where exists (select from unchanged)';

/**
 * Same as `WRITE`, but in one round trip and only if the accounts ($6), the reservations to close and the revision ($7) are unchanged
 * in the database. Otherwise it writes nothing and returns no row. With $8, a crash of the server can lose the changes.
 */
export const WRITE_IF_UNCHANGED = `
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

/** Alerts are rare, so the statements of every request do without them. */
export const WRITE_ALERTS = insertFrom('$1', 'gateway_alerts', ALERT_COLUMNS, ' on conflict (id) do nothing');

/** Stores what requests in flight have used so far. Rows that are being closed are skipped, so that this waits for nothing. */
export const NOTE = `
with free as (select id from gateway_reservations where id = any($1::text[]) order by id for update skip locked)
update gateway_reservations as a set interrupted = r.interrupted
from json_to_recordset($2::json) as r(id text, interrupted text), free where a.id = r.id and a.id = free.id`;
