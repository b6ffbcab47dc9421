import { Type } from 'typebox';
import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { alertThresholds, dollars, maxBudget, seconds, text, time, timeOrNull } from '../http/fields.ts';

const calendar = orNull(
  oneOf(CALENDAR_UNITS),
  'Reset spending at the start of each day, week (Monday) or month, instead of after a duration. Null: no.',
);
const timeZone = orNull(text('Time zone of `calendar`, e.g. Europe/Berlin. Null: UTC.', 64));

export const budgetChanges = closed('BudgetChanges', {
  name: Type.Optional(orNull(text('Display name.'))),
  max_budget: Type.Optional(maxBudget),
  budget_duration_sec: Type.Optional(seconds),
  calendar: Type.Optional(calendar),
  time_zone: Type.Optional(timeZone),
  alert_thresholds: Type.Optional(alertThresholds),
});

export const budget = closed(
  'Budget',
  {
    budget_id: Type.String(),
    name: orNull(Type.String()),
    max_budget: maxBudget,
    budget_duration_sec: seconds,
    calendar,
    time_zone: timeZone,
    alert_thresholds: alertThresholds,
    created_at: time('Creation time.'),
    updated_at: time('Time of the last change.'),
  },
  'A limit for the spending of each of its users.',
);

export const budgets = Type.Array(budget);

export const budgetResets = Type.Array(
  closed('BudgetReset', {
    id: Type.String(),
    user_id: Type.String(),
    previous_spend: dollars('Spending in the past window, in US dollars.'),
    reset_at: time('End of the window.'),
    next_reset_at: timeOrNull('End of the next window.'),
  }),
);
