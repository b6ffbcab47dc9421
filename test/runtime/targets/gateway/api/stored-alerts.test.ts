import { afterAll, expect, test } from 'vitest';
import { deliveryOf } from '../alerts/delivery.ts';
import { useReceivers } from '../alerts/receiver.ts';
import { openStoredGateway } from './stored-gateway.ts';

const { gateway, as, finish } = await openStoredGateway({ alerts: { thresholds: [10], webhook: undefined } });
afterAll(() => gateway.close());
const receiver = useReceivers();

test('the costs of a batch and of a background response raise alerts, each of which is sent once', async () => {
  const { url, received } = await receiver();
  const { ask, app, context } = gateway;
  const { body: budget } = await ask('POST', '/v1/budgets', {
    max_budget: 0.0001,
    alert_thresholds: [8, 15],
  });
  await ask('PATCH', '/v1/users/ann', { budget_id: budget.budget_id });
  const line = {
    custom_id: '1',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'fast', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
  };
  const form = new FormData();
  const lines = [1, 2].map((nth) => JSON.stringify({ ...line, custom_id: String(nth) }));
  form.set('file', new File([lines.join('\n')], 'requests.jsonl'));
  form.set('purpose', 'batch');
  const file = (await (
    await app.request('/v1/files', { method: 'POST', headers: as('ann'), body: form })
  ).json()) as { readonly id: string };
  const about = { input_file_id: file.id, endpoint: line.url, completion_window: '24h' };
  const { body: batch } = await ask('POST', '/v1/batches', about, as('ann'));
  const delivery = deliveryOf(context.state, url);
  await delivery.run();
  expect(received).toEqual([]);

  await finish();
  await Promise.all([1, 2].map(() => ask('GET', `/v1/batches/${batch.id}`, undefined, as('ann'))));
  await context.stored.settle();
  await delivery.run();
  // 2 responses with 21 input tokens and 9 output tokens each.
  const cost = (2 * (21 * 0.075 + 9 * 0.3)) / 1e6;
  expect(received.map(({ body }) => body.data)).toMatchObject([
    { account: { type: 'user', id: 'ann' }, threshold: 8, spend: cost },
  ]);

  const question = { model: 'fast', input: 'Hello', background: true, max_output_tokens: 50 };
  const { body: response } = await ask('POST', '/v1/responses', question, as('ann'));
  await finish();
  await ask('GET', `/v1/responses/${response.id}`, undefined, as('ann'));
  await context.stored.settle();
  await delivery.run();
  expect(received.map(({ body }) => body.data.threshold)).toEqual([8, 15]);
});
