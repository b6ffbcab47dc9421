import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { contentOf, eventsOf, REPLY } from '../../runtime/targets/gateway/test-provider.ts';
import type { Api } from '../shared-services.ts';
import { MASTER_KEY, type GatewayArm } from './arms.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const [openai, anthropic, encoder] = await Promise.all([
  startFixture('openai'),
  startFixture('anthropic'),
  startFixture('encoder'),
]);
const profile = { labels: ['INJECTION'], threshold: 0.5 };
const config = {
  providers: providersFor({ openai, anthropic }),
  encoders: { guard: { url: encoder.url }, down: { url: `${encoder.url}/down` } },
  aliases: { best: { targets: ['openai:fails-500'], fallbacks: ['anthropic:good'] } },
  retries: { attempts: 0 },
  pricing: Object.fromEntries(
    ['good', 'ends-early', 'stall', 'silent'].map((model) => [
      `openai:${model}`,
      { input_price_per_million: 10, output_price_per_million: 30 },
    ]),
  ),
  guardrails: {
    profiles: { injection: { encoder: 'guard', ...profile }, gone: { encoder: 'down', ...profile } },
  },
};
const CHAT = '/v1/chat/completions';

interface Someone {
  readonly api: Api;
  readonly userId: string;
  readonly key: Record<string, string>;
  readonly usage: () => Promise<readonly Record<string, unknown>[]>;
}

let people = 0;
/** The gateway, and a new user with a key. */
async function someone(arm: GatewayArm, more: object = {}): Promise<Someone> {
  const api = await start(arm, { config });
  const userId = `person-${(people += 1)}`;
  const key = asKey(await createKey(api, { user_id: userId, ...more }));
  const usage = async () => {
    const { body } = await api.get(`/v1/users/${userId}/usage`, AS_MASTER);
    return body as Record<string, unknown>[];
  };
  return { api, userId, key, usage };
}

verifiesGateway('gateway:chat', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const sent =
    '{"model":"openai:good", "seed":12345678901234567890,"messages":[{"role":"user","content":"Hello"}],"new":{"a":[1e400]}}';
  const { status, body, headers } = await api.post(CHAT, sent, key);
  expect(status).toBe(200);
  expect(body).toMatchObject({ model: 'good', choices: [{ message: { content: REPLY, refusal: null } }] });
  expect((await openai.last()).body).toBe(sent.replace('openai:good', 'good'));
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(await usage()).toEqual([
    expect.objectContaining({
      model: 'openai:good',
      prompt_tokens: 21,
      completion_tokens: 9,
      cost: (21 * 10 + 9 * 30) / 1e6,
      request_id: headers.get('x-request-id'),
    }),
  ]);
});

verifiesGateway('gateway:chat:stream', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const { text, headers } = await api.post(CHAT, chatWith('openai:good', { stream: true }), key);
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(contentOf(text)).toBe(REPLY);
  expect(text).not.toContain('prompt_tokens');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(await usage()).toEqual([
    expect.objectContaining({ prompt_tokens: 21, ttft_ms: expect.any(Number) }),
  ]);
  const asking = chatWith('openai:good', { stream: true, stream_options: { include_usage: true } });
  expect((await api.post(CHAT, asking, key)).text).toContain('"prompt_tokens":21');
});

verifiesGateway('gateway:chat:broken-stream', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const { text } = await api.post(CHAT, chatWith('openai:ends-early', { stream: true }), key);
  const [error, done] = eventsOf(text)
    .map(([, data]) => data)
    .slice(-2);
  expect(done).toBe('[DONE]');
  expect(JSON.parse(error ?? '')).toMatchObject({ error: { code: 'upstream_stream_incomplete' } });
  expect(text).not.toContain('"finish_reason":"stop"');
  const [row] = await usage();
  expect(row).toMatchObject({ status: 'error', status_code: 502, usage_estimated: true });
  expect(row?.['cost']).toBeGreaterThan(0);
});

verifiesGateway('gateway:chat:left', async (arm) => {
  const { api, key, usage, userId } = await someone(arm);
  const client = new AbortController();
  const answer = await fetch(api.url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key },
    body: JSON.stringify(chatWith('openai:stall', { stream: true })),
    signal: client.signal,
  });
  await answer.body?.getReader().read();
  await openai.happened('waiting', 'stall');
  client.abort();
  expect((await openai.happened('closed', 'stall')).complete).toBe(false);
  await expect
    .poll(usage)
    .toEqual([expect.objectContaining({ status: 'cancelled', status_code: 499, usage_estimated: true })]);
  const { body } = await api.get(`/v1/users/${userId}`, AS_MASTER);
  expect(body.reserved).toBe(0);
  expect(body.spend).toBeGreaterThan(0);

  const early = new AbortController();
  const unanswered = fetch(api.url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key },
    body: JSON.stringify(chatWith('openai:silent')),
    signal: early.signal,
  });
  await openai.happened('waiting', 'silent');
  early.abort();
  await expect(unanswered).rejects.toThrow('aborted');
  await expect.poll(() => api.log().split('"status":499')).toHaveLength(2);
  await openai.release();
  await expect.poll(usage).toHaveLength(2);
  expect(await usage()).toContainEqual(
    expect.objectContaining({
      model: 'openai:silent',
      status_code: 499,
      usage_estimated: false,
      cost: 48e-5,
    }),
  );
});

verifiesGateway('gateway:chat:refused', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const cases: [unknown, number, string, string | null][] = [
    ['{broken', 400, 'malformed_request', null],
    [{ model: 'openai:good', messages: [] }, 422, 'invalid_request', 'messages'],
    [{ model: 'openai:good', messages: [{ content: 'x' }] }, 422, 'invalid_request', 'messages[0].role'],
    [chatWith('nobody:good'), 400, 'model_not_found', 'model'],
  ];
  for (const [sent, status, code, param] of cases) {
    const { body, ...answer } = await api.post(CHAT, sent, key);
    expect(answer.status).toBe(status);
    expect(body.error).toMatchObject({ code, param, message: body.detail });
  }
  expect((await api.post(CHAT, '{broken', asKey('gw-nobody'))).status).toBe(401);
  expect(await usage()).toEqual([]);
});

verifiesGateway('gateway:chat:user', async (arm) => {
  const { api, key, usage, userId } = await someone(arm);
  const nobody = await api.post(CHAT, chatWith('openai:good'), AS_MASTER);
  expect([nobody.status, nobody.body.error.code]).toEqual([400, 'user_required']);
  const unknown = await api.post(CHAT, chatWith('openai:good', { user: 'ghost' }), AS_MASTER);
  expect([unknown.status, unknown.body.detail]).toEqual([404, "User 'ghost' not found"]);
  expect((await api.post(CHAT, chatWith('openai:good', { user: userId }), AS_MASTER)).status).toBe(200);
  const other = await api.post(CHAT, chatWith('openai:good', { user: 'ghost' }), key);
  expect([other.status, other.body.error.code]).toEqual([403, 'user_mismatch']);
  expect(await usage()).toHaveLength(1);
});

verifiesGateway('gateway:chat:provider-errors', async (arm) => {
  const { api, key } = await someone(arm);
  const cases: [string, number, string][] = [
    ['fails-400', 400, 'provider_refused'],
    ['fails-404', 404, 'model_not_found'],
    ['fails-401', 502, 'provider_credentials'],
    ['no-money', 502, 'provider_billing'],
    ['rate-limited', 429, 'provider_rate_limited'],
    ['wrong-type', 502, 'provider_error'],
    ['secret-400', 400, 'provider_refused'],
    ['secret', 502, 'provider_error'],
  ];
  for (const [model, status, code] of cases) {
    const answer = await api.post(CHAT, chatWith(`openai:${model}`), key);
    expect([model, answer.status, answer.body.error.code]).toEqual([model, status, code]);
    expect(answer.text).not.toContain(PROVIDER_KEY);
    if (model === 'rate-limited') expect(answer.headers.get('retry-after')).toBe('7');
  }
  expect(api.log()).not.toContain(PROVIDER_KEY);
  expect(api.log()).not.toContain(MASTER_KEY);
});

verifiesGateway('gateway:chat:limits', async (arm) => {
  const { api, key } = await someone(arm, { rpm: 1 });
  const { headers } = await api.post(CHAT, chatWith('openai:good'), key);
  expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['1', '0']);
  const refused = await api.post(CHAT, chatWith('openai:good'), key);
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const poor = await someone(arm, { budget: { max_budget: 0.0002 } });
  const large = await api.post(CHAT, chatWith('openai:good'), poor.key);
  expect([large.status, large.body.error.code]).toEqual([403, 'estimate_exceeds_budget']);
  const short = async () => await api.post(CHAT, chatWith('openai:good', { max_tokens: 1 }), poor.key);
  expect((await short()).status).toBe(200);
  expect(await short()).toMatchObject({ status: 403, body: { error: { code: 'budget_exceeded' } } });
  const unpriced = await api.post(CHAT, chatWith('openai:unpriced'), poor.key);
  expect([unpriced.status, unpriced.body.error.code]).toEqual([402, 'pricing_required']);
});

verifiesGateway('gateway:chat:alias', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const { body } = await api.post(CHAT, chatWith('best'), key);
  expect(body).toMatchObject({ model: 'best', choices: [{ message: { content: REPLY } }] });
  const rows = await usage();
  expect(rows.map(({ model, status }) => `${String(model)} ${String(status)}`).sort()).toEqual([
    'anthropic:good success',
    'openai:fails-500 error',
  ]);
});

verifiesGateway('gateway:chat:guardrails', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const saying = (content: string, ...guardrails: object[]) =>
    api.post(CHAT, { ...chatWith('openai:good'), messages: [{ role: 'user', content }], guardrails }, key);
  const blocked = await saying('an attack', { profile: 'injection' });
  expect([blocked.status, blocked.body.error.code]).toEqual([403, 'guardrail_violation']);
  expect(blocked.body.detail).toMatch(/injection \(INJECTION 0\.9/);
  const watched = await saying('an attack', { profile: 'injection', mode: 'monitor' });
  expect(watched.status).toBe(200);
  expect(JSON.parse(watched.headers.get('x-gateway-guardrails') ?? '')).toEqual([
    { profile: 'injection', mode: 'monitor', valid: false, score: 0.9375 },
  ]);
  expect((await saying('a rose', { profile: 'gone' })).status).toBe(502);
  expect((await usage()).map(({ status_code: code, cost }) => [code, cost !== null])).toEqual([
    [502, false],
    [200, true],
    [403, false],
  ]);
  const guardrails = [{ profile: 'injection', on: ['output'] }];
  const messages = [{ role: 'user', content: 'an attack' }];
  const stream = await api.post(CHAT, { model: 'openai:good', messages, guardrails, stream: true }, key);
  expect(stream.text).toContain('guardrail_violation');
  expect(stream.text).not.toContain('attack');
});

verifiesGateway('gateway:embeddings', async (arm) => {
  const { api, key, usage } = await someone(arm);
  const vectors = await api.post('/v1/embeddings', { model: 'openai:good', input: ['abc', 'de'] }, key);
  expect(vectors.body.data.map(({ embedding }: { embedding: number[] }) => embedding[0])).toEqual([3, 2]);
  const classified = await api.post('/v1/classify', { model: 'encoder:guard', input: ['an attack'] }, key);
  expect(classified.body).toMatchObject({
    object: 'list',
    model: 'encoder:guard',
    data: [{ index: 0, label: 'INJECTION', score: 0.9375, scores: { SAFE: 0.0625 } }],
  });
  const [first] = await usage();
  expect((await usage()).map(({ endpoint }) => endpoint)).toEqual(
    expect.arrayContaining(['/v1/classify', '/v1/embeddings']),
  );
  expect(first?.['status']).toBe('success');
});
