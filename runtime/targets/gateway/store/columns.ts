import type { AlertRow } from './record-schema.ts';
import type { AccountRow, BudgetResetRow, ReservationRow, UsageRow } from './schema.ts';

/** Columns and their types, for tables that the ledger writes without a query builder. */
type Columns<Row> = Readonly<Record<keyof Row, 'text' | 'bigint' | 'integer'>>;

export const ACCOUNT_COLUMNS: Columns<AccountRow> = {
  id: 'text',
  spent_nano: 'bigint',
  reserved_nano: 'bigint',
  running: 'integer',
  window_started_at: 'bigint',
  window_ends_at: 'bigint',
  minute: 'text',
};

export const RESERVATION_COLUMNS: Columns<ReservationRow> = {
  id: 'text',
  process_id: 'text',
  user_id: 'text',
  key_id: 'text',
  amount_nano: 'bigint',
  tokens: 'bigint',
  created_at: 'bigint',
  other_accounts: 'text',
  interrupted: 'text',
};

export const USAGE_COLUMNS: Columns<UsageRow> = {
  id: 'text',
  timestamp: 'bigint',
  user_id: 'text',
  api_key_id: 'text',
  model: 'text',
  provider: 'text',
  endpoint: 'text',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  total_tokens: 'bigint',
  cost_nano: 'bigint',
  status: 'text',
  error_message: 'text',
  error_detail: 'text',
  status_code: 'integer',
  latency_ms: 'bigint',
  ttft_ms: 'bigint',
  estimated: 'integer',
  request_id: 'text',
  attempt: 'integer',
  cache_write_tokens: 'bigint',
  cache_write_1h_tokens: 'bigint',
  priced_by: 'text',
  end_user: 'text',
  cache_hit: 'text',
  tags: 'text',
  units: 'text',
  team_id: 'text',
  organization_id: 'text',
};

export const RESET_COLUMNS: Columns<BudgetResetRow> = {
  id: 'text',
  account_id: 'text',
  spent_nano: 'bigint',
  reset_at: 'bigint',
  next_reset_at: 'bigint',
};

export const ALERT_COLUMNS: Columns<AlertRow> = {
  id: 'text',
  kind: 'text',
  account_id: 'text',
  label: 'text',
  threshold: 'integer',
  spent_nano: 'bigint',
  limit_nano: 'bigint',
  window_started_at: 'bigint',
  window_ends_at: 'bigint',
  created_at: 'bigint',
  state: 'text',
  attempts: 'integer',
  next_attempt_at: 'bigint',
  sent_at: 'bigint',
  problem: 'text',
};
