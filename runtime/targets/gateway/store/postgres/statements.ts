import { ACCOUNT_COLUMNS, RESERVATION_COLUMNS, RESET_COLUMNS, USAGE_COLUMNS } from '../columns.ts';

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
/** In the order of their ids, so that no two batches ever wait for each other. */
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

const IF_AS_KNOWN = ' where exists (select from as_known)';

/**
 * The same in one trip, if the accounts ($6), the reservations that are to be closed, and the revision ($7) are what they were
 * when they were last seen; else nothing is written, and no row comes back. With $8, a crash of the server may undo it.
 */
export const WRITE_IF_AS_KNOWN = `
with
  accounts as (
    select a.id from gateway_accounts as a, ${recordset('$6', ACCOUNT_COLUMNS)}
    where a.id = r.id and ${Object.keys(REST_OF_ACCOUNT)
      .map((column) => `a.${column} is not distinct from r.${column}`)
      .join(' and ')}
    order by a.id for update of a
  ),
  reservations as (select id from gateway_reservations where id = any($3::text[]) for update),
  as_known as (
    select where (select count(*) from accounts) = json_array_length($6::json)
      and (select count(*) from reservations) = cardinality($3::text[])
      and (${SELECT_REVISION}) = $7::bigint
  ),
  changed as (
    update gateway_accounts as a set ${SET_ACCOUNT} from ${recordset('$1', ACCOUNT_COLUMNS)}
    where a.id = r.id and exists (select from as_known)
  ),
  opened as (${insertFrom('$2', 'gateway_reservations', RESERVATION_COLUMNS, IF_AS_KNOWN)}),
  closed as (delete from gateway_reservations where id = any($3::text[]) and exists (select from as_known)),
  used as (${insertFrom('$4', 'gateway_usage', USAGE_COLUMNS, IF_AS_KNOWN)}),
  resets as (${insertFrom('$5', 'gateway_budget_resets', RESET_COLUMNS, IF_AS_KNOWN)})
select case when $8::boolean then set_config('synchronous_commit', 'off', true) end from as_known`;
