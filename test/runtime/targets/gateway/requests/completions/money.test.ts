import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { startFixture } from '../../fixture-provider.ts';
import { CANARY, chatBody, REPLY } from '../../test-provider.ts';
import { USAGE } from '../../three-providers.ts';
import { CHAT, errorIn, startFixtureGateway } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const { openai, gateway, someone } = await startFixtureGateway();
const gemini = await startFixture('gemini');

test("an alias falls back to the next target at that target's price, and both attempts are recorded", async () => {
  const { userId, secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('best'), secret);
  expect(await answer.json()).toMatchObject({ model: 'best', choices: [{ message: { content: REPLY } }] });
  const { promptTokens, completionTokens } = USAGE.anthropic;
  expect(await gateway.usage(userId)).toEqual([
    expect.objectContaining({
      model: 'openai:fails-500',
      status: 'error',
      error_message: 'provider_error',
      status_code: 500,
      cost: null,
    }),
    expect.objectContaining({
      model: 'anthropic:good',
      status: 'success',
      cost: (promptTokens * 100 + completionTokens * 300) / 1e6,
    }),
  ]);
});

test('a request that fails on every target has one usage row with the error', async () => {
  const { userId, secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('openai:fails-503@one-row'), secret);
  expect(await errorIn(answer)).toMatchObject({
    status: 502,
    code: 'provider_error',
    message: 'LLM provider error',
  });
  expect(await gateway.usage(userId)).toEqual([
    expect.objectContaining({
      model: 'openai:fails-503@one-row',
      status: 'error',
      status_code: 502,
      cost: null,
    }),
  ]);
});

test('a target that fails repeatedly is skipped for a while, and the error includes Retry-After', async () => {
  const { secret } = await someone();
  let last: Response | undefined;
  for (let times = 0; times < 20; times += 1) {
    last = await gateway.post(CHAT, chatBody('openai:fails-500@breaker'), secret);
  }
  expect(last?.status).toBe(502);
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a provider error is returned without secrets and with Retry-After', async () => {
  const { secret } = await someone();
  const slow = await gateway.post(CHAT, chatBody('openai:rate-limited'), secret);
  expect(slow.headers.get('retry-after')).toBe('7');
  expect(await errorIn(slow)).toMatchObject({ status: 429, code: 'provider_rate_limited' });
  for (const model of ['secret', 'secret-400']) {
    const text = await (await gateway.post(CHAT, chatBody(`openai:${model}`), secret)).text();
    expect(text).not.toContain(CANARY);
  }
  expect(gateway.logged.join('')).not.toContain(CANARY);
  expect(gateway.logged.join('')).not.toContain(secret);
});

test('requests per minute are limited, and every response reports the number of remaining requests', async () => {
  const { secret } = await someone({ rpm: 2 });
  const first = await gateway.post(CHAT, chatBody('openai:good'), secret);
  expect(first.headers.get('x-ratelimit-limit')).toBe('2');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
  expect(Number(first.headers.get('x-ratelimit-reset'))).toBeGreaterThan(systemClock.now() / 1000);
  // A failed request counts as well, and reports the remaining ones.
  const failed = await gateway.post(CHAT, chatBody('openai:fails-400'), secret);
  expect([failed.status, failed.headers.get('x-ratelimit-remaining')]).toEqual([400, '0']);
  const refused = await gateway.post(CHAT, chatBody('openai:good'), secret);
  expect(refused.headers.get('x-ratelimit-limit')).toBe('2');
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await errorIn(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
});

test('if a budget is exhausted, only requests to free models are admitted', async () => {
  const budget = await gateway.admin('POST', '/v1/budgets', { max_budget: 0.00015 });
  const { secret } = await someone({}, { budget_id: budget['budget_id'] });
  const short = chatBody('openai:good', { max_tokens: 1 });
  expect((await gateway.post(CHAT, short, secret)).status).toBe(200);
  const refused = await gateway.post(CHAT, short, secret);
  expect(await errorIn(refused)).toMatchObject({ status: 403, code: 'budget_exceeded' });
  expect((await gateway.post(CHAT, chatBody('openai:free'), secret)).status).toBe(200);
});

test('a response without reported tokens is billed by estimate', async () => {
  for (const stream of [false, true]) {
    const { userId, secret } = await someone();
    await (await gateway.post(CHAT, chatBody('openai:no-usage', { stream }), secret)).text();
    const [row] = await gateway.usage(userId);
    // 1 token and 7 for the message format, and 9 for the reply, each 1.1 times as many as OpenAI counts.
    const [prompt, completion] = [9, 10];
    expect(row).toMatchObject({
      usage_estimated: true,
      prompt_tokens: prompt,
      completion_tokens: completion,
      cost: (prompt * 10 + completion * 30) / 1e6,
    });
  }
});

test('a Gemini model costs the same with and without its list prefix, whichever name has the price', async () => {
  const running = await runGateway({
    models: {
      providers: [instanceOf('gemini', gemini)],
      pricing: [priced('gemini:good', 10, 30), priced('gemini:models/listed', 10, 30)],
    },
  });
  try {
    await running.user('ann');
    const secret = await running.key({ user_id: 'ann', allowed_models: ['gemini:good', 'gemini:listed'] });
    const models = ['gemini:good', 'gemini:models/good', 'gemini:listed', 'gemini:models/listed'];
    for (const model of models) {
      expect((await running.post(CHAT, chatBody(model), secret)).status).toBe(200);
    }
    const { promptTokens, completionTokens } = USAGE.gemini;
    const cost = (promptTokens * 10 + completionTokens * 30) / 1e6;
    expect((await running.usage('ann')).map((row) => [row.model, row.cost])).toEqual([
      ['gemini:good', cost],
      ['gemini:good', cost],
      ['gemini:listed', cost],
      ['gemini:listed', cost],
    ]);
  } finally {
    await running.stop();
  }
});

test('models without a price are rejected if prices are required', async () => {
  const strict = await runGateway({
    models: {
      providers: [instanceOf('openai', openai)],
      pricing: [priced('openai:good', 1, 1)],
      requirePricing: true,
    },
  });
  try {
    await strict.user('ann');
    const secret = await strict.key({ user_id: 'ann' });
    expect((await strict.post(CHAT, chatBody('openai:good'), secret)).status).toBe(200);
    const refused = await strict.post(CHAT, chatBody('openai:other'), secret);
    expect(await errorIn(refused)).toMatchObject({ status: 402, code: 'pricing_required' });
  } finally {
    await strict.stop();
  }
});
