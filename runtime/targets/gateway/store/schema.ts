import type { Nanos } from '../shared/money.ts';
import type { WorkflowSchema } from './workflow-schema.ts';

/**
 * All tables, the same in both databases. Times are milliseconds since 1970, booleans are 0 and 1, JSON is text. Columns with amounts
 * end in `_nano`; only they are read as bigint.
 */
export interface Schema extends WorkflowSchema {
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
  gateway_price_map: PriceMapRow;
  gateway_answers: AnswerRow;
  gateway_tags: TagRow;
  gateway_alerts: AlertRow;
  gateway_token_factors: TokenFactorRow;
  gateway_audit: AuditRow;
  gateway_prompts: PromptRow;
  gateway_objects: StoredObjectRow;
  gateway_groups: GroupRow;
  gateway_team_members: TeamMemberRow;
}

/** The only row about the database itself. */
export interface MetaRow {
  readonly id: number;
  readonly schema_version: number;
  /** Counts changes of users, keys, budgets and prices, so that processes know when their caches are outdated. */
  readonly revision: number;
  /** The process that keeps reservations only in memory. Ledgers of other processes must not write meanwhile. */
  readonly ledger_owner: string | null;
}

export interface UserRow {
  readonly user_id: string;
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
}

/** A process that holds reservations; those of a dead one are released. */
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

/** A file, a batch or a response that a provider stores. */
export interface StoredObjectRow {
  /** The id that the provider gave it. */
  readonly id: string;
  readonly provider: string;
  readonly kind: string;
  readonly user_id: string;
  /** The key that pays for it. */
  readonly key_id: string | null;
  /** The model that works on it, `provider:model`. */
  readonly model: string | null;
  readonly created_at: number;
  /** What the provider last said about it, as JSON. */
  readonly content: string;
  /** What its cost is estimated from, as JSON. */
  readonly plan: string | null;
  /** The reservation of what is not paid yet. */
  readonly hold_id: string | null;
  /** When a gateway last asked whether it is finished. */
  readonly checked_at: number | null;
}

/** The only row of the stored price map. */
interface PriceMapRow {
  readonly id: number;
  readonly date: string;
  readonly source: string;
  readonly updated_at: number;
  readonly content: string;
}

/** A cached answer. */
interface AnswerRow {
  readonly key: string;
  readonly target: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** List of names as JSON. */
  readonly dropped_tools: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Size in bytes of the whole row. */
  readonly size: number;
  /** The questions that its own one is compared with; null if it is not compared. */
  readonly question_group: string | null;
  /** Little-endian 32-bit numbers. */
  readonly vector: Uint8Array | null;
  readonly body: Uint8Array;
}

/** A tag of requests that has a budget. */
export interface TagRow {
  readonly tag: string;
  readonly budget_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An alert about a budget, which is sent to the webhook until it is accepted. */
export interface AlertRow {
  /** The same for every gateway that raises the alert. */
  readonly id: string;
  readonly kind: string;
  readonly account_id: string;
  /** The name of the account, for people. */
  readonly label: string;
  /** Percentage of the budget; null for a refused request. */
  readonly threshold: number | null;
  readonly spent_nano: Nanos;
  readonly limit_nano: Nanos;
  readonly window_started_at: number | null;
  readonly window_ends_at: number | null;
  readonly created_at: number;
  /** `pending`, `sent` or `failed`. */
  readonly state: string;
  readonly attempts: number;
  /** When a gateway can try to send it. A gateway that tries moves it into the future, so that no other one does. */
  readonly next_attempt_at: number;
  readonly sent_at: number | null;
  /** Why the last attempt failed. */
  readonly problem: string | null;
}

/** How many tokens of a model one token of its estimate is, for texts in a script. */
interface TokenFactorRow {
  readonly model: string;
  readonly script: string;
  readonly factor_millionths: number;
  readonly updated_at: number;
}

/** A change by an administrator, or a refused attempt. Rows are only added, and deleted when they are older than the retention. */
export interface AuditRow {
  /** A UUID of version 7, so that ids of one process are in order. */
  readonly id: string;
  readonly at: number;
  /** `master`, `key`, `anyone`, `cli` or `gateway`. */
  readonly actor: string;
  /** Id of the key, prefix of a refused key, or name of the user of the operating system. */
  readonly actor_id: string | null;
  readonly actor_user: string | null;
  readonly address: string | null;
  /** The header X-Forwarded-For, which clients can set to anything. */
  readonly forwarded_for: string | null;
  readonly request_id: string | null;
  /** The kind of object and what happened to it, e.g. `key.update`. */
  readonly action: string;
  readonly object: string | null;
  /** `success`, `failed` or `refused`. */
  readonly outcome: string;
  readonly reason: string | null;
  /** The members that changed, as JSON. */
  readonly before: string | null;
  readonly after: string | null;
  /** Number of attempts; more than 1 only for refused ones that are recorded together. */
  readonly count: number;
}

/** A request and its answer, without secrets. */
export interface PromptRow {
  readonly id: string;
  /** Start of the request. */
  readonly at: number;
  /** That of the usage row. */
  readonly request_id: string;
  readonly user_id: string | null;
  readonly api_key_id: string | null;
  readonly model: string;
  readonly endpoint: string;
  readonly status: string;
  /** The body as JSON, which is cut if it is too long. */
  readonly request: string;
  /** The output of the model; null without one. */
  readonly answer: string | null;
  readonly truncated: number;
}
