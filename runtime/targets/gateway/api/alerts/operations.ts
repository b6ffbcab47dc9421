import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { ALERT_STATES } from '../../alerts/alert-states.ts';
import { requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { alerts, testedAlert } from './schemas.ts';

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

const list: Operation = {
  path: '/v1/alerts',
  id: 'listAlerts',
  tag: 'Budgets',
  summary: 'List alerts about budgets, newest first.',
  description: requiresRole('viewer', 'Each alert is raised once per budget window.'),
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
    errors: STORE_ERRORS,
  }),
};

const test: Operation = {
  method: 'post',
  path: '/v1/alerts/test',
  id: 'testAlerts',
  tag: 'Budgets',
  summary: 'Send a test to the webhook of alerts.',
  description: requiresRole('admin', '409 if no webhook is configured, 502 if it does not accept the test.'),
  answer: answerOf('The webhook accepted the test.', testedAlert, {
    id: 'alert_test_019ab0c4-6d5e-7a53-9d8e-3b6a1c2d4e5f',
    to: 'https://hooks.example.com',
    status: 204,
  }),
  errors: [409, 502, ...STORE_ERRORS],
};

export const ALERT_OPERATIONS: readonly Operation[] = [list, test];
