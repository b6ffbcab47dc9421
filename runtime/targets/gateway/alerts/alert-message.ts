import { rfc3339 } from '#core/time/rfc3339.ts';
import type { AlertPolicy } from '../accounts/ledger/budget-alerts.ts';
import { dollarsOf, dollarText } from '../shared/money.ts';
import { accountOwner } from '../store/account-ids.ts';
import type { AlertRow } from '../store/record-schema.ts';

/** The configured budget alerts. */
export interface AlertsConfig extends AlertPolicy {
  /** Where alerts are sent; undefined if they are only recorded. */
  readonly webhook: Webhook | undefined;
}

export interface Webhook {
  readonly url: string;
  /** `whsec_` followed by the key in Base64. */
  readonly secret: string;
  /** Whether loopback and private addresses are allowed. */
  readonly local: boolean;
  readonly timeoutMs: number;
}

export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 100];

/** An alert as one sentence. */
export function alertText({ label, threshold, spent_nano: spent, limit_nano: limit }: AlertRow): string {
  const amounts = `$${dollarText(spent)} of a budget of $${dollarText(limit)}`;
  return threshold === null
    ? `${label} has spent ${amounts}, and a request was rejected because the remaining budget is too small for it.`
    : `${label} has spent ${amounts}, which is at least ${threshold}%.`;
}

/** The webhook body for an alert. */
export const alertMessage = (alert: AlertRow): object => ({
  type: alert.kind,
  timestamp: rfc3339(alert.created_at),
  data: alertData(alert),
});

export const alertData = (alert: AlertRow) => ({
  id: alert.id,
  message: alertText(alert),
  account: accountOf(alert.account_id),
  threshold: alert.threshold,
  spend: dollarsOf(alert.spent_nano),
  max_budget: dollarsOf(alert.limit_nano),
  budget_started_at: alert.window_started_at === null ? null : rfc3339(alert.window_started_at),
  next_budget_reset_at: alert.window_ends_at === null ? null : rfc3339(alert.window_ends_at),
});

const accountOf = (accountId: string): { readonly type: string; readonly id: string } => {
  const { kind, id } = accountOwner(accountId);
  return { type: kind === 'org' ? 'organization' : kind, id };
};
