import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { sendTestAlert } from '../alerts/alert-delivery.ts';
import type { GatewayContext } from '../context.ts';
import { EXHAUSTION_FORECAST } from '../accounts/ledger/budget-alerts.ts';
import { ALERT_STATES } from '../shared/record-words.ts';
import { count, dollars, time, timeOrNull } from './http/fields.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { alertView } from './views/records.ts';

export const alert = closed(
  'Alert',
  {
    id: Type.String({ description: 'Also the `webhook-id`.' }),
    type: oneOf([
      'budget.threshold_reached',
      'budget.request_refused',
      EXHAUSTION_FORECAST,
      'shadow.verdict_reached',
    ]),
    message: Type.String({ description: 'The alert as one sentence.' }),
    account: closed('AlertAccount', {
      type: Type.String({ description: '`user`, `key`, `team`, `organization`, `tag` or `alias`.' }),
      id: Type.String(),
    }),
    threshold: orNull(count(), 'Percentage of the budget; null for a rejected request or a forecast.'),
    spend: orNull(dollars(), 'Spending at the time of the alert, in US dollars.'),
    max_budget: orNull(dollars(), 'The budget at the time of the alert, in US dollars.'),
    budget_started_at: timeOrNull('Start of the budget window.'),
    next_budget_reset_at: timeOrNull('End of the budget window.'),
    exhausted_at: Type.Optional(time('When a budget is expected to be exhausted; only of a forecast.')),
    certainty: Type.Optional(count('The configured certainty of a forecast, as a percentage.')),
    created_at: time('Time of the alert.'),
    state: oneOf(ALERT_STATES),
    attempts: count('Number of delivery attempts.'),
    next_attempt_at: timeOrNull('Time of the next delivery attempt.'),
    sent_at: timeOrNull('Time at which the webhook accepted the alert.'),
    problem: orNull(Type.String(), 'Reason why the last delivery attempt failed.'),
  },
  'An alert: about a budget, or the verdict of a shadow evaluation or an A/B test.',
);

const alerts = Type.Array(alert);

export const testedAlert = closed('TestedAlert', {
  id: Type.String({ description: 'The `webhook-id`.' }),
  to: Type.String({ description: 'Origin of the webhook’s URL.' }),
  status: Type.Integer({ description: 'HTTP status returned by the webhook.' }),
});

const ALERT = {
  id: 'alert_4y9kFq0x2mB7cVnQe1TzWg8L',
  type: 'budget.threshold_reached' as const,
  message: "User 'ada' has spent $8.02 of a budget of $10, which is at least 80%.",
  account: { type: 'user', id: 'ada' },
  threshold: 80,
  spend: 8.02,
  max_budget: 10,
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  created_at: '2026-01-20T09:30:00Z',
  state: 'sent' as const,
  attempts: 1,
  next_attempt_at: null,
  sent_at: '2026-01-20T09:30:01Z',
  problem: null,
};

/** `/v1/alerts`: budget alerts. */
export function alertRoutes(
  { state, alertsConfig, clock }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/alerts',
      guard: guards.reader,
      id: 'listAlerts',
      tag: 'Budgets',
      summary: 'List budget alerts, newest first.',
      description: 'Each alert is raised once per budget window.',
      ...pageOfList({
        schema: alerts,
        example: [ALERT],
        parameters: [
          {
            name: 'state',
            in: 'query',
            description: 'Only alerts in this state.',
            example: 'failed',
            schema: oneOf(ALERT_STATES),
          },
        ],
      }),
      run: async (c) => {
        const only = c.req.query('state') ? wordOf(c, 'state', ALERT_STATES, 'pending') : undefined;
        return (await state.alerts.list(pageOf(c), only)).map(alertView);
      },
    }),
    route({
      method: 'post',
      path: '/v1/alerts/test',
      isRepeatable: true,
      guard: guards.admin,
      id: 'testAlerts',
      tag: 'Budgets',
      summary: 'Send a test message to the alert webhook.',
      description:
        'Returns 409 if no webhook is configured, and 502 if the webhook does not accept the test.',
      answer: answerOf('The webhook accepted the test.', testedAlert, {
        id: 'alert_test_019ab0c4-6d5e-7a53-9d8e-3b6a1c2d4e5f',
        to: 'https://hooks.example.com',
        status: 204,
      }),
      errors: [409, 502],
      run: async () => await sendTestAlert(alertsConfig()?.webhook, clock.now()),
    }),
  ];
}
