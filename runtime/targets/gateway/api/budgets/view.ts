import type { Static } from 'typebox';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Budget, BudgetReset } from '../../accounts/ledger/ledger.ts';
import type { budget, budgetResets } from './schemas.ts';
import { dollarsOrNull } from '../http/money-view.ts';
import { timeOrNull } from '../http/time-view.ts';

export const budgetView = (one: Budget): Static<typeof budget> => ({
  budget_id: one.budgetId,
  name: one.name,
  max_budget: dollarsOrNull(one.maxBudget),
  budget_duration_sec: one.budgetDurationSec,
  calendar: one.calendar?.unit ?? null,
  time_zone: one.calendar?.timeZone ?? null,
  alert_thresholds: one.alertThresholds === null ? null : [...one.alertThresholds],
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
});

export const budgetResetView = (reset: BudgetReset): Static<typeof budgetResets>[number] => ({
  id: reset.id,
  user_id: reset.userId,
  previous_spend: dollarsOf(reset.previousSpend),
  reset_at: rfc3339(reset.resetAt),
  next_reset_at: timeOrNull(reset.nextResetAt),
});
