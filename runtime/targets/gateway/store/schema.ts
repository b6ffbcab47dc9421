import type { Nanos } from '../shared/money.ts';
import type { WorkflowSchema } from './workflow-schema.ts';

/**
 * The tables, the same in both databases. Times are milliseconds since 1970, truths are 0 and 1, JSON is text, and columns that
 * hold money end in `_nano`: only those are read as bigint.
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
}

/** The one row about the database itself. */
export interface MetaRow {
  readonly id: number;
  readonly schema_version: number;
  /** Counts changes to users, keys, budgets and prices, so that processes know when what they remember is old. */
  readonly revision: number;
  /** The process that holds reservations in its memory alone. Nobody else's ledger may write meanwhile. */
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
}

export interface KeyRow {
  readonly id: string;
  readonly key_hash: string;
  readonly key_prefix: string;
  /** Of the secret before the last rotation, which works until `previous_expires_at`. */
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
}

export interface BudgetRow {
  readonly budget_id: string;
  readonly name: string | null;
  readonly max_budget_nano: Nanos | null;
  readonly budget_duration_sec: number | null;
  readonly created_at: number;
  readonly updated_at: number;
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
  /** Per million tokens. */
  readonly input_nano: Nanos;
  readonly cached_input_nano: Nanos | null;
  readonly output_nano: Nanos;
  readonly created_at: number;
  readonly cache_write_nano: Nanos | null;
  readonly cache_write_1h_nano: Nanos | null;
  /** A list of tiers as JSON; null if there are none. */
  readonly tiers: string | null;
}

/** What a user or a key has used and holds now. */
export interface AccountRow {
  /** `user:<id>` or `key:<id>`. */
  readonly id: string;
  readonly spent_nano: Nanos;
  readonly reserved_nano: Nanos;
  readonly running: number;
  readonly window_started_at: number | null;
  readonly window_ends_at: number | null;
  /** A SlidingMinute as JSON, where there is a limit by the minute. */
  readonly minute: string | null;
}

/** Money held for a request that is under way. */
export interface ReservationRow {
  readonly id: string;
  readonly process_id: string;
  readonly user_id: string;
  readonly key_id: string | null;
  readonly amount_nano: Nanos;
  readonly tokens: number;
  readonly created_at: number;
}

/** A process that holds reservations; those of a dead one are released. */
export interface ProcessRow {
  readonly id: string;
  /** The machine and its space of process ids, where `pid` means something. */
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
  /** Why a provider failed: for administrators only, as it can name addresses. */
  readonly error_detail: string | null;
  readonly status_code: number | null;
  readonly latency_ms: number | null;
  readonly ttft_ms: number | null;
  /** 1 if the tokens were estimated, because the provider did not tell them. */
  readonly estimated: number;
  readonly request_id: string | null;
  readonly attempt: number;
  /** The part of the prompt's tokens that the provider wrote to its cache. */
  readonly cache_write_tokens: number | null;
  /** The part of those that it keeps for 1 hour. */
  readonly cache_write_1h_tokens: number | null;
}
