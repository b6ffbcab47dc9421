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

/** State of the database itself (a single row). */
export const META = table({
  id: integer,
  schema_version: integer,
  /**
   * Counts changes to users, keys, budgets, prices, providers and aliases, so that processes know when their
   * caches are outdated.
   */
  revision: bigint,
  /** The process that keeps reservations in memory only. Meanwhile, ledgers of other processes must not write. */
  ledger_owner: nullable(textColumn),
});

/** The kinds of groups that share a budget. */
export type GroupKind = 'team' | 'org';

/** Tables for accounts, their usage, and the models that they can use. */
const ACCOUNT_TABLES = {
  gateway_users: table(
    {
      ...columnsOf(USER_FIELDS),
      /** Internal ID, which is random and never reused. The user's data refers to it. */
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
      /** 1 if a team member created it for themselves. */
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
      /** Unit prices as JSON; null if there are none. */
      units: nullable(textColumn),
    },
    { key: ['model_key', 'effective_at'] },
  ),
  /** Spending and reservations of a user, key, team, organization or tag. */
  gateway_accounts: table({
    /** The owner's kind and ID, e.g. `user:<id>`. */
    id: textColumn,
    spent_nano: nanos,
    reserved_nano: notNegative(nanos),
    running: notNegative(integer),
    window_started_at: nullable(bigint),
    window_ends_at: nullable(bigint),
    /** A SlidingMinute as JSON; null without per-minute limits. */
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
    /** IDs of the accounts other than the user's and the key's, as JSON; null if there are none. */
    other_accounts: nullable(textColumn),
    /** Usage so far as JSON, which is recorded if the process is killed; null if no usage is known. */
    interrupted: nullable(textColumn),
  }),
  /** A process that holds reservations; when it dies, they are released, or billed with what they had used. */
  gateway_processes: table({
    id: textColumn,
    /** The machine and its process ID namespace, to which `pid` belongs. */
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
      /** Why a provider failed. Only for administrators, because it can contain addresses. */
      error_detail: nullable(textColumn),
      status_code: nullable(integer),
      latency_ms: nullable(bigint),
      ttft_ms: nullable(bigint),
      /** 1 if the tokens are estimated because the provider did not report them. */
      estimated: integer,
      request_id: nullable(textColumn),
      attempt: integer,
      /** The part of `prompt_tokens` that the provider wrote to its cache. */
      cache_write_tokens: nullable(bigint),
      /** The part of `cache_write_tokens` that was written for 1 hour. */
      cache_write_1h_tokens: nullable(bigint),
      /** `own` for a configured price, or the price map's date and entry; null without a cost. */
      priced_by: nullable(textColumn),
      /** The client's own user ID in the request. It is not verified. */
      end_user: nullable(textColumn),
      /** `exact` or `semantic` for a cached response; null for others. */
      cache_hit: nullable(textColumn),
      /** Request tags as a JSON list; null without tags. */
      tags: nullable(textColumn),
      /** What the request used besides tokens, as JSON; null if nothing. */
      units: nullable(textColumn),
      team_id: nullable(textColumn),
      organization_id: nullable(textColumn),
      /** The name of the provider's key that was used; null if the provider has a single key. */
      provider_key: nullable(textColumn),
      /** What the provider's cache saved: negative if writing cost more than reading saved. */
      cache_saved_nano: nullable(nanos),
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
  /** A request tag with a budget. */
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
      /** Internal ID, which is random and never reused. */
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
    /** List of secret names as JSON. */
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
 * All tables except `META`, identical in both databases. Times are milliseconds since 1970, booleans are 0
 * and 1, JSON is text. Amount columns end in `_nano`; only they are read as bigint.
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
