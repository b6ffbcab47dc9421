import type { Nanos } from '../shared/money.ts';
import type { ModelEntrySchema } from './model-entry-schema.ts';
import type { RecordSchema } from './record-schema.ts';
import type { SumsSchema } from './sums-schema.ts';
import type { WorkflowSchema } from './workflow-schema.ts';

/**
 * All tables, the same in both databases. Times are milliseconds since 1970, booleans are 0 and 1, JSON is text. Columns with amounts
 * end in `_nano`; only they are read as bigint.
 */
export interface Schema extends WorkflowSchema, RecordSchema, SumsSchema, ModelEntrySchema {
  gateway_meta: MetaRow;
  gateway_users: UserRow;
  gateway_keys: KeyRow;
  gateway_budgets: BudgetRow;
  gateway_budget_resets: BudgetResetRow;
  gateway_prices: PriceRow;
  gateway_accounts: AccountRow;
  gateway_reservations: ReservationRow;
  gateway_processes: ProcessRow;
  gateway_usage: UsageRow;
  gateway_tags: TagRow;
  gateway_groups: GroupRow;
  gateway_team_members: TeamMemberRow;
  gateway_invitations: InvitationRow;
}

/** The only row about the database itself. */
export interface MetaRow {
  readonly id: number;
  readonly schema_version: number;
  /** Counts changes of users, keys, budgets, prices, providers and aliases, so that processes know when their caches are outdated. */
  readonly revision: number;
  /** The process that keeps reservations only in memory. Ledgers of other processes must not write meanwhile. */
  readonly ledger_owner: string | null;
}

export interface UserRow {
  readonly user_id: string;
  /** Internal id, which is random and never used again. What belongs to the user has it. */
  readonly owner_id: string;
  readonly alias: string | null;
  readonly budget_id: string | null;
  readonly blocked: number;
  readonly metadata: string;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly max_parallel: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
  /** `admin`, `viewer` or `member`. */
  readonly role: string;
  /** The team that owns a service account; null for a person. */
  readonly team_id: string | null;
}

/** The kinds of groups that share a budget. */
export type GroupKind = 'team' | 'org';

/** A team or an organization. */
export interface GroupRow {
  readonly kind: GroupKind;
  readonly id: string;
  /** Internal id, which is random and never used again. */
  readonly owner_id: string;
  /** The organization of a team. */
  readonly parent_id: string | null;
  readonly alias: string | null;
  readonly budget_id: string | null;
  readonly blocked: number;
  readonly metadata: string;
  readonly allowed_models: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly max_parallel: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface TeamMemberRow {
  readonly team_id: string;
  readonly user_id: string;
  /** `admin` or `member`. */
  readonly role: string;
  readonly created_at: number;
}

/** A team that a user can join. */
export interface InvitationRow extends TeamMemberRow {
  /** Null for the master key. */
  readonly invited_by: string | null;
  readonly expires_at: number;
}

export interface KeyRow {
  readonly id: string;
  readonly key_hash: string;
  readonly key_prefix: string;
  /** Hash of the secret before the last rotation, which is valid until `previous_expires_at`. */
  readonly previous_hash: string | null;
  readonly previous_expires_at: number | null;
  readonly key_name: string | null;
  readonly user_id: string;
  readonly is_active: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly metadata: string;
  readonly allowed_models: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly max_parallel: number | null;
  readonly max_budget_nano: Nanos | null;
  readonly budget_duration_sec: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** 1 or 0; null for the setting of the gateway. */
  readonly log_prompts: number | null;
  /** `models` or `manage`. */
  readonly scope: string;
  readonly team_id: string | null;
  readonly alert_thresholds: string | null;
  /** `own` or `issued`. */
  readonly issuer: string;
  /** 1 if a member of the team has made it for itself. */
  readonly self_made: number;
}

export interface BudgetRow {
  readonly budget_id: string;
  readonly name: string | null;
  readonly max_budget_nano: Nanos | null;
  readonly budget_duration_sec: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** `day`, `week` or `month` instead of a duration. */
  readonly calendar: string | null;
  readonly time_zone: string | null;
  /** List of percentages as JSON; null for the configured ones. */
  readonly alert_thresholds: string | null;
}

export interface BudgetResetRow {
  readonly id: string;
  readonly account_id: string;
  readonly spent_nano: Nanos;
  readonly reset_at: number;
  readonly next_reset_at: number | null;
}

export interface PriceRow {
  readonly model_key: string;
  readonly effective_at: number;
  /** Price per million tokens. */
  readonly input_nano: Nanos;
  readonly cached_input_nano: Nanos | null;
  readonly output_nano: Nanos;
  readonly created_at: number;
  readonly cache_write_nano: Nanos | null;
  readonly cache_write_1h_nano: Nanos | null;
  /** List of tiers as JSON; null if there are none. */
  readonly tiers: string | null;
  /** Prices of units as JSON; null if there are none. */
  readonly units: string | null;
}

/** Spending and reservations of a user, a key, a team, an organization or a tag. */
export interface AccountRow {
  /** The kind and the id of the owner, e.g. `user:<id>`. */
  readonly id: string;
  readonly spent_nano: Nanos;
  readonly reserved_nano: Nanos;
  readonly running: number;
  readonly window_started_at: number | null;
  readonly window_ends_at: number | null;
  /** A SlidingMinute as JSON; null without a limit per minute. */
  readonly minute: string | null;
}

/** The amount reserved for a request in flight. */
export interface ReservationRow {
  readonly id: string;
  readonly process_id: string;
  readonly user_id: string;
  readonly key_id: string | null;
  readonly amount_nano: Nanos;
  readonly tokens: number;
  readonly created_at: number;
  /** The IDs of the accounts other than those of the user and the key, as JSON; null if there are none. */
  readonly other_accounts: string | null;
  /** The usage so far as JSON, which is written if the process is killed; null if nothing is known to be used. */
  readonly interrupted: string | null;
}

/** A process that holds reservations; those of a dead one are released, or billed with what they had used. */
export interface ProcessRow {
  readonly id: string;
  /** The machine and its process id namespace, to which `pid` belongs. */
  readonly machine: string;
  readonly pid: number;
  readonly seen_at: number;
}

export interface UsageRow {
  readonly id: string;
  readonly timestamp: number;
  readonly user_id: string | null;
  readonly api_key_id: string | null;
  readonly model: string;
  readonly provider: string | null;
  readonly endpoint: string;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cost_nano: Nanos | null;
  readonly status: string;
  readonly error_message: string | null;
  /** Why a provider failed. For administrators only, because it can contain addresses. */
  readonly error_detail: string | null;
  readonly status_code: number | null;
  readonly latency_ms: number | null;
  readonly ttft_ms: number | null;
  /** 1 if the tokens are estimated, because the provider did not report them. */
  readonly estimated: number;
  readonly request_id: string | null;
  readonly attempt: number;
  /** The part of `prompt_tokens` that the provider wrote to its cache. */
  readonly cache_write_tokens: number | null;
  /** The part of `cache_write_tokens` that was written for 1 hour. */
  readonly cache_write_1h_tokens: number | null;
  /** `own` for a configured price, or the date and the entry of the price map; null without a cost. */
  readonly priced_by: string | null;
  /** The client's own user that the request names. It is not checked. */
  readonly end_user: string | null;
  /** `exact` or `semantic` for an answer from the cache; null for others. */
  readonly cache_hit: string | null;
  /** Tags of the request as a JSON list; null without tags. */
  readonly tags: string | null;
  /** What the request used besides tokens, as JSON; null if there is nothing. */
  readonly units: string | null;
  readonly team_id: string | null;
  readonly organization_id: string | null;
}

/** A tag of requests that has a budget. */
export interface TagRow {
  readonly tag: string;
  readonly budget_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}
