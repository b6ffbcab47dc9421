import { createHash } from 'node:crypto';
import type { AlertRow } from '../../store/record-schema.ts';
import type { AccountRow } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { HeldAccount } from './limits.ts';

/** When to raise budget alerts. */
export interface AlertPolicy {
  /** Percentages for budgets without their own. */
  readonly thresholds: readonly number[];
  /** Alerts for budgets that will be exhausted; undefined if disabled. */
  readonly forecast?: ForecastPolicy | undefined;
}

/** When to raise alerts for budgets that will be exhausted before their window ends. */
export interface ForecastPolicy {
  /** The required certainty of the forecast, as a percentage. */
  readonly certainty: number;
  /** Kinds of owners of the budgets. */
  readonly owners: readonly ForecastOwner[];
}

/** Kinds of owners whose usage is known by day. */
export const FORECAST_OWNERS = ['user', 'key', 'team', 'organization'] as const;
type ForecastOwner = (typeof FORECAST_OWNERS)[number];

export const EXHAUSTION_FORECAST = 'budget.exhaustion_forecast' as const;
type AlertKind = 'budget.threshold_reached' | 'budget.request_refused' | typeof EXHAUSTION_FORECAST;

/** The details of an alert for a budget that will be exhausted. */
export interface ExhaustionDetails {
  readonly certainty: number;
  /** When the budget is expected to be exhausted, in milliseconds since 1970. */
  readonly exhausted_at: number;
}

/** Whether a budget has alerts. */
export const hasAlerts = ({ alertThresholds }: HeldAccount['limits'], policy: AlertPolicy): boolean =>
  (alertThresholds ?? policy.thresholds).length > 0;

/** The alert for an account whose budget will be exhausted before its window ends. */
export const exhaustionAlert = (
  account: AccountRow,
  { limits, label }: Pick<HeldAccount, 'limits' | 'label'>,
  details: ExhaustionDetails,
  now: number,
): AlertRow => ({
  ...alertOf(
    account,
    EXHAUSTION_FORECAST,
    { limit: limits.maxBudget ?? 0n, percent: null, label: label() },
    now,
  ),
  details: JSON.stringify(details),
});

/**
 * The alerts for an account whose spending has changed: one for each threshold that the new amount reaches
 * and the old one did not. Both amounts are read and written in the ledger's transaction, so no other gateway
 * sees the same change.
 */
export function thresholdAlerts(
  before: AccountRow,
  after: AccountRow,
  { limits, label }: Pick<HeldAccount, 'limits' | 'label'>,
  policy: AlertPolicy,
  now: number,
): AlertRow[] {
  const { maxBudget, alertThresholds } = limits;
  if (maxBudget === null || maxBudget === 0n) return [];
  return (alertThresholds ?? policy.thresholds)
    .filter((percent) => {
      const threshold = maxBudget * BigInt(percent);
      return before.spent_nano * 100n < threshold && after.spent_nano * 100n >= threshold;
    })
    .map((percent) =>
      alertOf(after, 'budget.threshold_reached', { limit: maxBudget, percent, label: label() }, now),
    );
}

/** The alert for an account whose budget rejected a request; undefined if its budget has no alerts. */
export function refusalAlert(
  account: AccountRow,
  { limits, label }: Pick<HeldAccount, 'limits' | 'label'>,
  policy: AlertPolicy,
  now: number,
): AlertRow | undefined {
  const { maxBudget } = limits;
  if (maxBudget === null || !hasAlerts(limits, policy)) return undefined;
  return alertOf(account, 'budget.request_refused', { limit: maxBudget, percent: null, label: label() }, now);
}

interface About {
  readonly limit: bigint;
  readonly percent: number | null;
  readonly label: string;
}

function alertOf(
  account: AccountRow,
  kind: AlertKind,
  { limit, percent, label }: About,
  now: number,
): AlertRow {
  return {
    id: alertId(account, kind, limit, percent),
    kind,
    account_id: account.id,
    label: storableText(label),
    threshold: percent,
    spent_nano: account.spent_nano,
    limit_nano: limit,
    window_started_at: account.window_started_at,
    window_ends_at: account.window_ends_at,
    created_at: now,
    state: 'pending',
    attempts: 0,
    next_attempt_at: now,
    sent_at: null,
    problem: null,
    details: null,
  };
}

/**
 * Identical for the same threshold in the same window of the same limit, so that the database has only one
 * row for it.
 */
function alertId(account: AccountRow, kind: AlertKind, limit: bigint, percent: number | null): string {
  const parts = [kind, account.id, account.window_started_at, String(limit), percent];
  return `alert_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 24)}`;
}
