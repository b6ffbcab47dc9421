import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { chatBody } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { priced, runGateway } from './running-gateway.ts';

/** A provider that has every model and reads half of its 1,000,000 input tokens from the cache. */
const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    const usage = {
      prompt_tokens: 1_000_000,
      completion_tokens: 100_000,
      prompt_tokens_details: { cached_tokens: 500_000 },
    };
    const message = { role: 'assistant', content: 'x' };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 0,
        model: 'x',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    );
  });
}).listen(0, '127.0.0.1');
afterAll(() => void provider.close());

test('published prices apply to models without a configured price, and usage rows record the price source', async () => {
  const { port } = provider.address() as AddressInfo;
  const at = { type: 'openai', baseUrl: `http://127.0.0.1:${port}`, local: true } as const;
  const gateway = await runGateway({
    models: {
      providers: [
        { name: 'prod', ...at, listedAs: 'openai' },
        { name: 'lab', ...at },
      ],
      pricing: [priced('prod:gpt-4o-mini', 1, 2)],
    },
  });
  onTestFinished(() => gateway.stop());
  const budget = await gateway.admin('POST', '/v1/budgets', { max_budget: 1000 });
  await gateway.user('ann', { budget_id: budget['budget_id'] });
  const secret = await gateway.key({ user_id: 'ann' });
  const ask = async (model: string) => await gateway.post(CHAT, chatBody(model), secret);
  for (const model of ['prod:GPT-4o-2031-01-31', 'prod:gpt-4o-mini', 'prod:gpt-4o-2024-08-06']) {
    const answer = await ask(model);
    expect([answer.status, answer.headers.get('x-gateway-unpriced')], model).toEqual([200, null]);
  }
  // Neither an unlisted model nor a custom provider has a price; a budget rejects both.
  for (const model of ['prod:unheard-of', 'lab:gpt-4o']) expect((await ask(model)).status, model).toBe(402);
  const rows = (await gateway.usage('ann')).filter(({ status }) => status === 'success');
  expect(rows.map(({ cost, priced_by: by }) => [cost, by])).toEqual([
    // Half of the input at $2.50, half at $1.25, and a tenth of the output's $10.
    [2.875, 'map 2026-11-26 openai:gpt-4o'],
    [1 + 0.2, 'own'],
    [2.875, 'map 2026-11-26 openai:gpt-4o-2024-08-06'],
  ]);
});
