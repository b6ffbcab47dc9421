import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { ALERT_STATES } from '../../alerts/alert-states.ts';
import { count, dollars, time, timeOrNull } from '../http/fields.ts';

export const alert = closed(
  'Alert',
  {
    id: Type.String({ description: 'Also the `webhook-id`.' }),
    type: oneOf(['budget.threshold_reached', 'budget.request_refused']),
    message: Type.String({ description: 'The alert as one sentence.' }),
    account: closed('AlertAccount', {
      type: Type.String({ description: '`user`, `key`, `team`, `organization` or `tag`.' }),
      id: Type.String(),
    }),
    threshold: orNull(count(), 'Percentage of the budget; null for a refused request.'),
    spend: dollars('Spending at the time of the alert, in US dollars.'),
    max_budget: dollars('The budget at the time of the alert, in US dollars.'),
    budget_started_at: timeOrNull('Start of the budget window.'),
    next_budget_reset_at: timeOrNull('End of the budget window.'),
    created_at: time('Time of the alert.'),
    state: oneOf(ALERT_STATES),
    attempts: count('Number of attempts to send it.'),
    next_attempt_at: timeOrNull('Time of the next attempt.'),
    sent_at: timeOrNull('Time at which the webhook accepted it.'),
    problem: orNull(Type.String(), 'Why the last attempt failed.'),
  },
  'An alert about a budget.',
);

export const alerts = Type.Array(alert);

export const testedAlert = closed('TestedAlert', {
  id: Type.String({ description: 'The `webhook-id`.' }),
  to: Type.String({ description: 'Origin of the webhook’s URL.' }),
  status: Type.Integer({ description: 'HTTP status of the webhook.' }),
});
