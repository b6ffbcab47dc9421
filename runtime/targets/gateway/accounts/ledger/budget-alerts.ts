import { createHash } from 'node:crypto';
import type { AlertRow } from '../../store/record-schema.ts';
import type { AccountRow } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { HeldAccount } from './limits.ts';

/** When to raise budget alerts. */
export interface AlertPolicy {
  /** Percentages for budgets without their own. */
  readonly thresholds: readonly number[];
}

type AlertKind = 'budget.threshold_reached' | 'budget.request_refused';

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
  const { maxBudget, alertThresholds } = limits;
  if (maxBudget === null || (alertThresholds ?? policy.thresholds).length === 0) return undefined;
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
