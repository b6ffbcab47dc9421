import { expect, test } from 'vitest';
import { used } from '../requests.ts';
import { useReceivers, WEBHOOK_SECRET } from '../alerts/receiver.ts';
import { useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const receiver = useReceivers();

test('the master key can list alerts and send a test to the webhook', async () => {
  const { url, received, statuses } = await receiver();
  const webhook = { url, secret: WEBHOOK_SECRET, local: true, timeoutMs: 5000 };
  const { ask, context } = await open({ alerts: { thresholds: [50], webhook } });
  const { body: budget } = await ask('POST', '/v1/budgets', { max_budget: 2, alert_thresholds: [75, 20] });
  expect(budget.alert_thresholds).toEqual([20, 75]);
  const { budget_id: id } = budget;
  await ask('POST', '/v1/users', { user_id: 'ada', budget_id: id });
  const spender = await context.state.identity.spender({ kind: 'master' }, 'ada');
  await context.state.ledger.bill(spender, used(500_000_000n));
  const { body: alerts } = await ask('GET', '/v1/alerts');
  expect(alerts).toMatchObject([
    {
      type: 'budget.threshold_reached',
      message: "User 'ada' has spent $0.5 of a budget of $2, which is at least 20%.",
      account: { type: 'user', id: 'ada' },
      threshold: 20,
      spend: 0.5,
      max_budget: 2,
      state: 'pending',
      attempts: 0,
    },
  ]);
  expect((await ask('GET', '/v1/alerts?state=sent')).body).toEqual([]);
  expect((await ask('GET', '/v1/alerts?state=all')).status).toBe(422);
  for (const wrong of [[0], [101], [1.5], 50, Array.from({ length: 11 }, (_, index) => index + 1)])
    expect((await ask('PATCH', `/v1/budgets/${id}`, { alert_thresholds: wrong })).status).toBe(422);
  expect((await ask('PATCH', `/v1/budgets/${id}`, { alert_thresholds: null })).body.alert_thresholds).toBe(
    null,
  );

  const { status, body: sent } = await ask('POST', '/v1/alerts/test');
  expect([status, sent]).toEqual([200, { id: sent.id, to: new URL(url).origin, status: 204 }]);
  expect(received[0]?.headers['webhook-id']).toBe(sent.id);
  expect(received[0]?.body.type).toBe('alert.test');
  statuses.push(404);
  const refused = await ask('POST', '/v1/alerts/test');
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    `The webhook at ${new URL(url).origin} did not accept the test: HTTP 404.`,
  ]);
});

test('a test alert without a webhook is rejected', async () => {
  const { ask } = await open();
  const { status, body } = await ask('POST', '/v1/alerts/test');
  expect([status, body.detail]).toEqual([
    409,
    'No webhook is configured. Set `alerts.webhook` in gateway.yml.',
  ]);
  expect((await ask('POST', '/v1/alerts/test', undefined, { 'X-Gateway-Key': 'Bearer no' })).status).toBe(
    401,
  );
});
