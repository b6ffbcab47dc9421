import { expect, onTestFinished, test } from 'vitest';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT, errorIn } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway, type RunningTestGateway } from './running-gateway.ts';

const openai = await startFixture('openai');

async function startGateway(models: Partial<ModelsConfig> = {}): Promise<RunningTestGateway> {
  const gateway = await runGateway({
    models: {
      providers: [instanceOf('openai', openai)],
      aliases: [{ name: 'either', targets: [{ model: 'openai:good' }], fallbacks: ['openai:unpriced'] }],
      pricing: [priced('openai:good', 10, 30)],
      ...models,
    },
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** A key with its own budget, and a key of a user with a budget. */
async function keysUnderBudget(gateway: RunningTestGateway): Promise<Readonly<Record<string, string>>> {
  const budget = await gateway.admin('POST', '/v1/budgets', { max_budget: 1 });
  await gateway.user('ann', { budget_id: budget['budget_id'] });
  await gateway.user('bob');
  return {
    user: await gateway.key({ user_id: 'ann' }),
    key: await gateway.key({ user_id: 'bob', key_name: 'small', budget: { max_budget: 1 } }),
    none: await gateway.key({ user_id: 'bob' }),
  };
}

const metricsOf = async ({ url }: RunningTestGateway): Promise<string> =>
  await (await fetch(`${url}/metrics`)).text();

const warningsIn = ({ logged }: RunningTestGateway): readonly Record<string, unknown>[] =>
  logged
    .filter((line) => line.includes('model has no price, so its cost is not counted in the budget'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('a user or key with a budget cannot use a model without a price, and no request is sent', async () => {
  const gateway = await startGateway();
  const { user = '', key = '', none = '' } = await keysUnderBudget(gateway);
  const before = await openai.counts();
  for (const [secret, who] of [
    [user, "User 'ann'"],
    [key, "API key 'small'"],
  ] as const) {
    for (const body of [
      chatBody('openai:unpriced'),
      chatBody('openai:unpriced', { stream: true }),
      chatBody('either'),
    ]) {
      expect(await errorIn(await gateway.post(CHAT, body, secret))).toMatchObject({
        status: 402,
        code: 'pricing_required',
        message: `Model 'openai:unpriced' has no price, and ${who} has a budget. Set its price with POST /v1/pricing, or set \`allow_unpriced\` in the configuration.`,
      });
    }
  }
  expect(await openai.counts()).toEqual(before);
  expect((await gateway.post(CHAT, chatBody('openai:good'), user)).status).toBe(200);

  const free = await gateway.post(CHAT, chatBody('openai:unpriced'), none);
  expect([free.status, free.headers.get('x-gateway-unpriced')]).toEqual([200, null]);
  expect(warningsIn(gateway)).toEqual([]);
});

test('requests to a model are admitted if its price is already effective, but not if it is effective in the future', async () => {
  const gateway = await startGateway();
  const { user = '' } = await keysUnderBudget(gateway);
  const price = { model_key: 'openai:unpriced', input_price_per_million: 1, output_price_per_million: 1 };
  await gateway.admin('POST', '/v1/pricing', { ...price, effective_at: '2999-01-01' });
  expect((await gateway.post(CHAT, chatBody('openai:unpriced'), user)).status).toBe(402);
  await gateway.admin('POST', '/v1/pricing', price);
  expect((await gateway.post(CHAT, chatBody('openai:unpriced'), user)).status).toBe(200);
});

test('if allowed, each unpriced use is reported in a header, the log and a metric', async () => {
  const gateway = await startGateway({ allowUnpriced: true });
  const { user = '', key = '', none = '' } = await keysUnderBudget(gateway);
  for (const [secret, stream] of [
    [user, false],
    [key, true],
  ] as const) {
    const answer = await gateway.post(CHAT, chatBody('openai:unpriced', { stream }), secret);
    await answer.text();
    expect([answer.status, answer.headers.get('x-gateway-unpriced')]).toEqual([200, 'true']);
  }
  for (const [model, secret] of [
    ['openai:good', user],
    ['either', key],
    ['openai:unpriced', none],
  ] as const) {
    const answer = await gateway.post(CHAT, chatBody(model), secret);
    expect([answer.status, answer.headers.get('x-gateway-unpriced')]).toEqual([200, null]);
  }
  expect(warningsIn(gateway)).toEqual(
    Array.from({ length: 2 }, () =>
      expect.objectContaining({
        level: 40,
        model: 'openai:unpriced',
        requestId: expect.any(String) as string,
      }),
    ),
  );
  expect(await metricsOf(gateway)).toContain(
    'gateway_unpriced_requests_total{provider="openai",model="unpriced"} 2\n',
  );
});
