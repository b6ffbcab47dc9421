import { BUDGET_FIELDS } from '../accounts/fields/budgets.ts';
import { TEAM_FIELDS } from '../accounts/fields/groups.ts';
import { KEY_FIELDS } from '../accounts/fields/keys.ts';
import { USER_FIELDS } from '../accounts/fields/users.ts';
import type { UsageStatus } from '../shared/record-words.ts';
import {
  bigint,
  bytes,
  initially,
  integer,
  nanos,
  notNegative,
  nullable,
  table,
  textColumn,
  textOf,
  unique,
  type RowOf,
  type RowsOf,
} from './define-table.ts';
import { columnsOf } from './field-columns.ts';
import { RECORD_TABLES } from './record-schema.ts';
import { WORKFLOW_TABLES } from './workflow-schema.ts';

/** The only row about the database itself. */
export const META = table({
  id: integer,
  schema_version: integer,
  /** Counts changes of users, keys, budgets, prices, providers and aliases, so that processes know when their caches are outdated. */
  revision: bigint,
  /** The process that keeps reservations only in memory. Ledgers of other processes must not write meanwhile. */
  ledger_owner: nullable(textColumn),
});

/** The kinds of groups that share a budget. */
export type GroupKind = 'team' | 'org';

/** Tables of accounts, of what they have used, and of the models that they can use. */
const ACCOUNT_TABLES = {
  gateway_users: table(
    {
      ...columnsOf(USER_FIELDS),
      /** Internal id, which is random and never used again. What belongs to the user has it. */
      owner_id: textColumn,
      deleted_at: nullable(bigint),
    },
    { indexes: { gateway_users_owner: { columns: ['owner_id'], isUnique: true } } },
  ),
  gateway_keys: table(
    {
      ...columnsOf(KEY_FIELDS),
      key_hash: unique(textColumn),
      /** Hash of the secret before the last rotation, which is valid until `previous_expires_at`. */
      previous_hash: unique(nullable(textColumn)),
      previous_expires_at: nullable(bigint),
      updated_at: bigint,
      /** `own` or `issued`. */
      issuer: initially(textColumn, 'issued'),
      /** 1 if a member of the team has made it for itself. */
      self_made: initially(integer, 0),
    },
    { indexes: { gateway_keys_user: { columns: ['user_id'] } } },
  ),
  gateway_budgets: table(columnsOf(BUDGET_FIELDS)),
  gateway_budget_resets: table(
    {
      id: textColumn,
      account_id: textColumn,
      spent_nano: nanos,
      reset_at: bigint,
      next_reset_at: nullable(bigint),
    },
    { indexes: { gateway_budget_resets_account: { columns: ['account_id', 'reset_at'] } } },
  ),
  gateway_prices: table(
    {
      model_key: textColumn,
      effective_at: bigint,
      /** Price per million tokens. */
      input_nano: nanos,
      cached_input_nano: nullable(nanos),
      output_nano: nanos,
      created_at: bigint,
      cache_write_nano: nullable(nanos),
      cache_write_1h_nano: nullable(nanos),
      /** List of tiers as JSON; null if there are none. */
      tiers: nullable(textColumn),
      /** Prices of units as JSON; null if there are none. */
      units: nullable(textColumn),
    },
    { key: ['model_key', 'effective_at'] },
  ),
  /** Spending and reservations of a user, a key, a team, an organization or a tag. */
  gateway_accounts: table({
    /** The kind and the id of the owner, e.g. `user:<id>`. */
    id: textColumn,
    spent_nano: nanos,
    reserved_nano: notNegative(nanos),
    running: notNegative(integer),
    window_started_at: nullable(bigint),
    window_ends_at: nullable(bigint),
    /** A SlidingMinute as JSON; null without a limit per minute. */
    minute: nullable(textColumn),
  }),
  /** The amount reserved for a request in flight. */
  gateway_reservations: table({
    id: textColumn,
    process_id: textColumn,
    user_id: textColumn,
    key_id: nullable(textColumn),
    amount_nano: nanos,
    tokens: bigint,
    created_at: bigint,
    /** The IDs of the accounts other than those of the user and the key, as JSON; null if there are none. */
    other_accounts: nullable(textColumn),
    /** The usage so far as JSON, which is written if the process is killed; null if nothing is known to be used. */
    interrupted: nullable(textColumn),
  }),
  /** A process that holds reservations; those of a dead one are released, or billed with what they had used. */
  gateway_processes: table({
    id: textColumn,
    /** The machine and its process id namespace, to which `pid` belongs. */
    machine: textColumn,
    pid: integer,
    seen_at: bigint,
  }),
  gateway_usage: table(
    {
      id: textColumn,
      timestamp: bigint,
      user_id: nullable(textColumn),
      api_key_id: nullable(textColumn),
      model: textColumn,
      provider: nullable(textColumn),
      endpoint: textColumn,
      prompt_tokens: nullable(bigint),
      completion_tokens: nullable(bigint),
      cached_tokens: nullable(bigint),
      total_tokens: nullable(bigint),
      cost_nano: nullable(nanos),
      status: textOf<UsageStatus>(),
      error_message: nullable(textColumn),
      /** Why a provider failed. For administrators only, because it can contain addresses. */
      error_detail: nullable(textColumn),
      status_code: nullable(integer),
      latency_ms: nullable(bigint),
      ttft_ms: nullable(bigint),
      /** 1 if the tokens are estimated, because the provider did not report them. */
      estimated: integer,
      request_id: nullable(textColumn),
      attempt: integer,
      /** The part of `prompt_tokens` that the provider wrote to its cache. */
      cache_write_tokens: nullable(bigint),
      /** The part of `cache_write_tokens` that was written for 1 hour. */
      cache_write_1h_tokens: nullable(bigint),
      /** `own` for a configured price, or the date and the entry of the price map; null without a cost. */
      priced_by: nullable(textColumn),
      /** The client's own user that the request names. It is not checked. */
      end_user: nullable(textColumn),
      /** `exact` or `semantic` for an answer from the cache; null for others. */
      cache_hit: nullable(textColumn),
      /** Tags of the request as a JSON list; null without tags. */
      tags: nullable(textColumn),
      /** What the request used besides tokens, as JSON; null if there is nothing. */
      units: nullable(textColumn),
      team_id: nullable(textColumn),
      organization_id: nullable(textColumn),
    },
    {
      indexes: {
        gateway_usage_api_key_id: { columns: ['api_key_id', 'timestamp'] },
        gateway_usage_errors: { columns: ['timestamp', 'id'], where: "status = 'error'" },
        gateway_usage_model: { columns: ['model', 'timestamp', 'id'] },
        gateway_usage_organization_id: {
          columns: ['organization_id', 'timestamp'],
          where: 'organization_id is not null',
        },
        gateway_usage_team: { columns: ['team_id', 'timestamp', 'id'], where: 'team_id is not null' },
        gateway_usage_team_id: { columns: ['team_id', 'timestamp'], where: 'team_id is not null' },
        gateway_usage_time: { columns: ['timestamp', 'id'] },
        gateway_usage_user_id: { columns: ['user_id', 'timestamp'] },
      },
    },
  ),
  /** A tag of requests that has a budget. */
  gateway_tags: table({
    tag: textColumn,
    budget_id: textColumn,
    created_at: bigint,
    updated_at: bigint,
  }),
  /** A team or an organization. */
  gateway_groups: table(
    {
      kind: textOf<GroupKind>(),
      ...columnsOf(TEAM_FIELDS),
      /** Internal id, which is random and never used again. */
      owner_id: textColumn,
    },
    { key: ['kind', 'id'] },
  ),
  gateway_team_members: table(
    {
      team_id: textColumn,
      user_id: textColumn,
      /** `admin` or `member`. */
      role: textColumn,
      created_at: bigint,
    },
    { key: ['team_id', 'user_id'], indexes: { gateway_team_members_user: { columns: ['user_id'] } } },
  ),
  /** A team that a user can join. */
  gateway_invitations: table(
    {
      team_id: textColumn,
      user_id: textColumn,
      /** `admin` or `member`. */
      role: textColumn,
      created_at: bigint,
      /** Null for the master key. */
      invited_by: nullable(textColumn),
      expires_at: bigint,
    },
    { key: ['team_id', 'user_id'], indexes: { gateway_invitations_user: { columns: ['user_id'] } } },
  ),
  gateway_providers: table({
    name: textColumn,
    /** The entry as JSON, as in the configuration file, without secrets. */
    settings: textColumn,
    /** List of the names of secrets as JSON. */
    secret_names: textColumn,
    /** The secrets, encrypted; null if there are none. */
    secrets: nullable(bytes),
    created_at: bigint,
    updated_at: bigint,
  }),
  gateway_aliases: table({
    name: textColumn,
    /** The entry as JSON, as in the configuration file. */
    settings: textColumn,
    created_at: bigint,
    updated_at: bigint,
  }),
};

/**
 * All tables, the same in both databases, except for `META`. Times are milliseconds since 1970, booleans are 0 and 1, JSON is text.
 * Columns with amounts end in `_nano`; only they are read as bigint.
 */
export const TABLES = { ...ACCOUNT_TABLES, ...WORKFLOW_TABLES, ...RECORD_TABLES };

export type Schema = RowsOf<typeof TABLES> & { gateway_meta: MetaRow };
export type MetaRow = RowOf<typeof META>;
export type UserRow = RowOf<typeof ACCOUNT_TABLES.gateway_users>;
export type KeyRow = RowOf<typeof ACCOUNT_TABLES.gateway_keys>;
export type BudgetRow = RowOf<typeof ACCOUNT_TABLES.gateway_budgets>;
export type BudgetResetRow = RowOf<typeof ACCOUNT_TABLES.gateway_budget_resets>;
export type PriceRow = RowOf<typeof ACCOUNT_TABLES.gateway_prices>;
export type AccountRow = RowOf<typeof ACCOUNT_TABLES.gateway_accounts>;
export type ReservationRow = RowOf<typeof ACCOUNT_TABLES.gateway_reservations>;
export type ProcessRow = RowOf<typeof ACCOUNT_TABLES.gateway_processes>;
export type UsageRow = RowOf<typeof ACCOUNT_TABLES.gateway_usage>;
export type TagRow = RowOf<typeof ACCOUNT_TABLES.gateway_tags>;
export type GroupRow = RowOf<typeof ACCOUNT_TABLES.gateway_groups>;
export type TeamMemberRow = RowOf<typeof ACCOUNT_TABLES.gateway_team_members>;
export type InvitationRow = RowOf<typeof ACCOUNT_TABLES.gateway_invitations>;
export type ProviderRow = RowOf<typeof ACCOUNT_TABLES.gateway_providers>;
export type AliasRow = RowOf<typeof ACCOUNT_TABLES.gateway_aliases>;
