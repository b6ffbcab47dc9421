import { afterAll, expect, test } from 'vitest';
import { chatBody } from '../../test-provider.ts';
import { CHAT, startFixtureGateway } from './fixture-gateway.ts';

const { openai, gateway, someone } = await startFixtureGateway();
afterAll(async () => await openai.release());

/** With the master key or the given key. */
// oxlint-disable-next-line typescript/no-explicit-any -- the test inspects its structure.
const get = async (path: string, key?: string): Promise<any> =>
  key === undefined
    ? await gateway.admin('GET', path)
    : await (await fetch(`${gateway.url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).json();

test('a request is live until its usage is recorded, and only its key and administrators can see it', async () => {
  const [mine, other] = [await someone(), await someone()];
  const asked = gateway.post(CHAT, chatBody('openai:silent', { max_tokens: 50 }), mine.secret);
  await openai.happened('waiting', 'silent');
  const all = await get('/v1/requests/live');
  expect(all).toMatchObject([{ endpoint: CHAT, user_id: mine.userId, model: null, attempts: [] }]);
  expect(await get('/v1/requests/live', mine.secret)).toHaveLength(1);
  expect(await get('/v1/requests/live', other.secret)).toEqual([]);
  await openai.release();
  await asked;
  expect(await get('/v1/requests/live')).toEqual([]);
});

test('a request shows its attempts, the reason for each failure, and its cost breakdown', async () => {
  const { secret } = await someone();
  await gateway.post(CHAT, chatBody('best', { max_tokens: 50 }), secret);
  const { items } = await get('/v1/requests?limit=1', secret);
  const details = await get(`/v1/requests/${items[0].id}`);
  const [failed, answered] = details.attempts;
  expect(details.attempts).toHaveLength(2);
  expect(failed).toMatchObject({
    usage: {
      model: 'openai:fails-500',
      status: 'error',
      attempt: 1,
      error_detail: expect.stringMatching(/./),
    },
    cost_parts: null,
  });
  expect(answered.usage).toMatchObject({ model: 'anthropic:good', status: 'success', attempt: 2 });
  const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached, cost } = answered.usage;
  const byPart = Object.fromEntries(
    answered.cost_parts.map((one: { part: string; tokens: number }) => [one.part, one.tokens]),
  );
  expect(byPart['output']).toBe(output);
  const { output: _, ...inputs } = byPart;
  expect(Object.values(inputs).reduce((total: number, tokens) => total + Number(tokens), 0)).toBe(input);
  expect(byPart['cached_input'] ?? 0).toBe(cached);
  const sum = answered.cost_parts.reduce((total: number, one: { cost: number }) => total + one.cost, 0);
  expect(sum).toBeCloseTo(cost, 9);
  const own = await get(`/v1/requests/${items[0].id}`, secret);
  expect(own.attempts[0].usage).not.toHaveProperty('error_detail');
});

test('guardrail hits are listed without the matched text, and open circuit breakers are shown', async () => {
  const { userId, secret } = await someone();
  const say = (mode: string) =>
    gateway.post(
      CHAT,
      {
        model: 'openai:good',
        messages: [{ role: 'user', content: 'an attack' }],
        guardrails: [{ profile: 'injection', mode }],
      },
      secret,
    );
  await say('block');
  await say('monitor');
  await expect
    .poll(() => get(`/v1/guardrail-hits?user_id=${userId}`))
    .toMatchObject({
      total: 2,
      items: [
        { profile: 'injection', mode: 'monitor', place: 'input', score: 0.9375, model: 'openai:good' },
        { mode: 'block', user_id: userId, endpoint: CHAT },
      ],
    });
  expect((await get(`/v1/guardrail-hits?mode=block&user_id=${userId}`)).total).toBe(1);
  expect(JSON.stringify(await get('/v1/guardrail-hits'))).not.toContain('an attack');

  // Failures of a single user do not open the breaker for others.
  const other = await someone();
  for (let failures = 0; failures < 5; failures += 1)
    for (const key of [secret, other.secret])
      await gateway.post(CHAT, chatBody('openai:fails-500', { max_tokens: 5 }), key);
  const states = await get('/v1/provider-states');
  const state = states.find((one: { model: string }) => one.model === 'openai:fails-500');
  expect(state).toMatchObject({ breaker: 'open', open_until: expect.any(String), paused_until: null });
  expect(state.failures).toBeGreaterThanOrEqual(5);
});
