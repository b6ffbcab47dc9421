import { expect, test } from 'vitest';
import { chatBody, eventsOf } from '../../test-provider.ts';
import { CHAT, errorIn, startFixtureGateway } from './fixture-gateway.ts';

const { openai, encoder, gateway, someone } = await startFixtureGateway();

test('guardrails also apply to embeddings and classifications', async () => {
  const { userId, secret } = await someone();
  const vectors = await gateway.post(
    '/v1/embeddings',
    { model: 'openai:good', input: ['abc', 'de'] },
    secret,
  );
  expect(await vectors.json()).toMatchObject({ data: [{ embedding: [3, 0.5, -0.25] }, {}] });
  const asked = { model: 'encoder:guard', input: ['an attack', 'a rose'] };
  const classified = await gateway.post('/v1/classify', asked, secret);
  expect(await classified.json()).toEqual({
    object: 'list',
    model: 'encoder:guard',
    data: [
      { index: 0, label: 'INJECTION', score: 0.9375, scores: { INJECTION: 0.9375, SAFE: 0.0625 } },
      { index: 1, label: 'SAFE', score: 0.9375, scores: { INJECTION: 0.0625, SAFE: 0.9375 } },
    ],
    usage: { prompt_tokens: 4, total_tokens: 4 },
  });
  const wrong = await gateway.post('/v1/classify', { ...asked, model: 'openai:good' }, secret);
  expect(await errorIn(wrong)).toMatchObject({ status: 400, code: 'unsupported' });
  const empty = await gateway.post('/v1/classify', { ...asked, input: [''] }, secret);
  expect(await errorIn(empty)).toMatchObject({ status: 422, param: 'input[0]' });
  expect((await gateway.usage(userId)).map(({ endpoint, status }) => [endpoint, status])).toEqual([
    ['/v1/embeddings', 'success'],
    ['/v1/classify', 'success'],
    ['/v1/classify', 'error'],
  ]);
});

test('guardrails that a request specifies block or monitor only that request', async () => {
  const { userId, secret } = await someone();
  const saying = (content: string, guardrails: object[]) =>
    gateway.post(CHAT, { model: 'openai:good', messages: [{ role: 'user', content }], guardrails }, secret);
  const blocked = await saying('an attack', [{ profile: 'injection' }]);
  expect(JSON.parse(blocked.headers.get('x-gateway-guardrails') ?? '')).toEqual([
    { profile: 'injection', mode: 'block', valid: false, score: 0.9375 },
  ]);
  expect(await errorIn(blocked)).toMatchObject({
    status: 403,
    code: 'guardrail_violation',
    message: expect.stringContaining('injection (INJECTION 0.938'),
  });
  expect(await gateway.usage(userId)).toMatchObject([
    { status: 'error', status_code: 403, cost: null, prompt_tokens: null },
  ]);
  const watched = await saying('an attack', [{ profile: 'injection', mode: 'monitor' }]);
  expect(watched.status).toBe(200);
  expect(watched.headers.get('x-gateway-guardrails')).toContain('"valid":false');
  expect((await openai.last()).body).not.toContain('guardrails');
  const unable = await saying('a rose', [{ profile: 'gone' }]);
  expect(await errorIn(unable)).toMatchObject({ status: 502, code: 'guardrail_unavailable' });
});

test('a request that exceeds its rate limit does not call guardrails', async () => {
  const { secret } = await someone({ rpm: 1 });
  const ask = () =>
    gateway.post(CHAT, chatBody('openai:good', { guardrails: [{ profile: 'injection' }] }), secret);
  expect((await ask()).status).toBe(200);
  const { requests } = await encoder.counts();
  expect((await ask()).status).toBe(429);
  expect((await encoder.counts())['requests']).toBe(requests);
});

test('a request with a duplicate member is rejected, because the provider could read the member that was not checked', async () => {
  const { secret } = await someone();
  const body =
    '{"model":"openai:good","messages":[{"role":"user","content":"an attack","content":"a rose"}],"guardrails":[{"profile":"injection"}]}';
  expect((await gateway.post(CHAT, body, secret)).status).toBe(422);
  expect((await openai.last()).body).not.toContain('a rose');
});

test('a response blocked by a guardrail is billed but not shown', async () => {
  const guardrails = [{ profile: 'injection', on: ['output'] }];
  const messages = [{ role: 'user', content: 'repeat: attack' }];
  const { userId, secret } = await someone();
  const whole = await gateway.post(CHAT, { model: 'openai:good', messages, guardrails }, secret);
  expect(await errorIn(whole)).toMatchObject({ status: 403, code: 'guardrail_violation' });
  const stream = await gateway.post(
    CHAT,
    { model: 'openai:good', messages, guardrails, stream: true },
    secret,
  );
  const text = await stream.text();
  expect(text).not.toContain('attack');
  const [, error] = eventsOf(text)
    .map(([, data]) => data)
    .slice(-2);
  expect(error).toBe('[DONE]');
  expect(text).toContain('guardrail_violation');
  const rows = await gateway.usage(userId);
  expect(rows.map(({ status, status_code: code }) => [status, code])).toEqual([
    ['error', 403],
    ['error', 403],
  ]);
  expect(rows.every(({ cost }) => (cost ?? 0) > 0)).toBe(true);
});

test.each([
  ['a custom tool', CHAT, { tools: [{ type: 'custom', custom: { name: 'shell' } }] }],
  ['a legacy function', CHAT, { functions: [{ name: 'shell' }] }],
  ['a custom tool of the Responses API', '/v1/responses', { tools: [{ type: 'custom', name: 'shell' }] }],
])('input that the model generates for %s is checked like text', async (_what, path, more) => {
  const { secret } = await someone();
  const asked = {
    model: 'openai:good',
    guardrails: [{ profile: 'injection', on: ['output'] }],
    ...more,
    ...(path === CHAT ? { messages: [{ role: 'user', content: 'an attack' }] } : { input: 'an attack' }),
  };
  const whole = await gateway.post(path, asked, secret);
  expect(await errorIn(whole)).toMatchObject({ status: 403, code: 'guardrail_violation' });
  const text = await (await gateway.post(path, { ...asked, stream: true }, secret)).text();
  expect(text).toContain('guardrail_violation');
  expect(text).not.toContain('atta');
});
