import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import {
  type AlertPolicy,
  EXHAUSTION_FORECAST,
  type ExhaustionDetails,
} from '../accounts/ledger/budget-alerts.ts';
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
export const DEFAULT_CERTAINTY = 90;

/** An alert as one sentence. */
export function alertText(alert: AlertRow): string {
  const { label, threshold, spent_nano: spent, limit_nano: limit } = alert;
  // Alerts that are not about a budget contain their sentence.
  if (!isAboutBudget(alert)) return label;
  const amounts = `$${dollarText(spent)} of a budget of $${dollarText(limit)}`;
  const exhaustion = exhaustionOf(alert);
  if (exhaustion)
    return `${label} has spent ${amounts} and is expected to exhaust it on ${minuteOf(exhaustion.exhausted_at)}, before it is reset on ${minuteOf(alert.window_ends_at ?? 0)} (certainty: at least ${exhaustion.certainty}%).`;
  return threshold === null
    ? `${label} has spent ${amounts}, and a request was rejected because the remaining budget is too small for it.`
    : `${label} has spent ${amounts}, which is at least ${threshold}%.`;
}

/** The webhook body for an alert. */
export const alertMessage = (alert: AlertRow): object => ({
  type: alert.kind,
  timestamp: rfc3339(alert.created_at),
  data: isAboutBudget(alert) ? alertData(alert) : detailsOf(alert, alert.details ?? '{}'),
});

const isAboutBudget = ({ kind }: AlertRow): boolean => kind.startsWith('budget.');

/** What the forecast of an alert was; undefined for another alert. */
const exhaustionOf = ({ kind, details }: AlertRow): ExhaustionDetails | undefined =>
  kind === EXHAUSTION_FORECAST && details !== null
    ? (parseJsonText(details) as ExhaustionDetails)
    : undefined;

/** A time to the minute, e.g. `2026-01-20 09:30 UTC`. */
const minuteOf = (time: number): string => `${rfc3339(time).slice(0, 16).replace('T', ' ')} UTC`;

/** The data of an alert that is not about a budget. */
const detailsOf = (alert: AlertRow, details: string): object => ({
  id: alert.id,
  message: alertText(alert),
  ...membersOf(parseJsonText(details)),
});

export function alertData(alert: AlertRow) {
  const exhaustion = exhaustionOf(alert);
  return {
    id: alert.id,
    message: alertText(alert),
    account: accountOf(alert),
    threshold: alert.threshold,
    spend: isAboutBudget(alert) ? dollarsOf(alert.spent_nano) : null,
    max_budget: isAboutBudget(alert) ? dollarsOf(alert.limit_nano) : null,
    budget_started_at: alert.window_started_at === null ? null : rfc3339(alert.window_started_at),
    next_budget_reset_at: alert.window_ends_at === null ? null : rfc3339(alert.window_ends_at),
    ...(exhaustion && {
      exhausted_at: rfc3339(exhaustion.exhausted_at),
      certainty: exhaustion.certainty,
    }),
  };
}

const accountOf = (alert: AlertRow): { readonly type: string; readonly id: string } => {
  const { account_id: accountId } = alert;
  if (!isAboutBudget(alert)) return { type: 'alias', id: accountId.slice(accountId.indexOf(':') + 1) };
  const { kind, id } = accountOwner(accountId);
  return { type: kind === 'org' ? 'organization' : kind, id };
};
