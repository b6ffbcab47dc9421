import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
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
export function alertText(alert: AlertRow): string {
  const { label, threshold, spent_nano: spent, limit_nano: limit, details } = alert;
  // Alerts that are not about a budget contain their sentence.
  if (details !== null) return label;
  const amounts = `$${dollarText(spent)} of a budget of $${dollarText(limit)}`;
  return threshold === null
    ? `${label} has spent ${amounts}, and a request was rejected because the remaining budget is too small for it.`
    : `${label} has spent ${amounts}, which is at least ${threshold}%.`;
}

/** The webhook body for an alert. */
export const alertMessage = (alert: AlertRow): object => ({
  type: alert.kind,
  timestamp: rfc3339(alert.created_at),
  data: alert.details === null ? alertData(alert) : detailsOf(alert, alert.details),
});

/** The data of an alert that is not about a budget. */
const detailsOf = (alert: AlertRow, details: string): object => ({
  id: alert.id,
  message: alertText(alert),
  ...membersOf(parseJsonText(details)),
});

export const alertData = (alert: AlertRow) => ({
  id: alert.id,
  message: alertText(alert),
  account: accountOf(alert),
  threshold: alert.threshold,
  spend: alert.details === null ? dollarsOf(alert.spent_nano) : null,
  max_budget: alert.details === null ? dollarsOf(alert.limit_nano) : null,
  budget_started_at: alert.window_started_at === null ? null : rfc3339(alert.window_started_at),
  next_budget_reset_at: alert.window_ends_at === null ? null : rfc3339(alert.window_ends_at),
});

const accountOf = ({
  account_id: accountId,
  details,
}: AlertRow): { readonly type: string; readonly id: string } => {
  if (details !== null) return { type: 'alias', id: accountId.slice(accountId.indexOf(':') + 1) };
  const { kind, id } = accountOwner(accountId);
  return { type: kind === 'org' ? 'organization' : kind, id };
};
