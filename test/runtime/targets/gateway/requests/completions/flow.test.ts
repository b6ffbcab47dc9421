import { expect, test } from 'vitest';
import { chatBody, contentOf, REPLY } from '../../test-provider.ts';
import { USAGE } from '../../three-providers.ts';
import { CHAT, errorIn, startFixtureGateway } from './fixture-gateway.ts';
import { MASTER } from './running-gateway.ts';

const { openai, anthropic, gateway, someone } = await startFixtureGateway();

test('a response is sent unchanged after its usage row is written', async () => {
  const { userId, secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('openai:good'), secret);
  const [row] = await gateway.usage(userId);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    model: 'good',
    choices: [{ message: { content: REPLY, refusal: null, annotations: [] } }],
    system_fingerprint: 'fp_fixture',
  });
  const { promptTokens, completionTokens, cachedTokens } = USAGE.openai;
  expect(row).toMatchObject({
    model: 'openai:good',
    provider: 'openai',
    endpoint: CHAT,
    status: 'success',
    status_code: 200,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cached_tokens: cachedTokens,
    cost: (17 * 10 + 4 * 5 + 9 * 30) / 1e6,
    usage_estimated: false,
    request_id: answer.headers.get('x-request-id'),
  });
});

test('fields unknown to the gateway pass through, including numbers of any length', async () => {
  const { secret } = await someone();
  const body = `{ "model":"openai:good", "seed": 12345678901234567890, "messages":[{"role":"user","content":"Hello"}], "new_thing":{"a":1e400} }`;
  expect((await gateway.post(CHAT, body, secret)).status).toBe(200);
  expect((await openai.last()).body).toBe(body.replace('"openai:good"', '"good"'));
});

test('an unauthorized caller is rejected before the body is read', async () => {
  const answer = await gateway.post(CHAT, '{broken', 'gw-nobody');
  expect(answer.status).toBe(401);
  const none = await fetch(gateway.url + CHAT, { method: 'POST', body: 'x' });
  expect(await errorIn(none)).toMatchObject({ status: 401, code: 'missing_credentials' });
});

test.each([
  ['{broken', 400, 'malformed_request', null],
  ['{}', 422, 'invalid_request', 'model'],
  ['[]', 422, 'invalid_request', null],
  [{ model: 'openai:good', messages: [] }, 422, 'invalid_request', 'messages'],
  [{ model: 'openai:good', messages: [{ content: 'x' }] }, 422, 'invalid_request', 'messages[0].role'],
  [
    { model: 'openai:good', messages: [{ role: 'user', content: 5 }] },
    422,
    'invalid_request',
    'messages[0].content',
  ],
  [chatBody('openai:good', { max_tokens: -1 }), 422, 'invalid_request', 'max_tokens'],
  [chatBody('openai:good', { user: 7 }), 422, 'invalid_request', 'user'],
  [chatBody('good'), 400, 'model_not_found', 'model'],
  [chatBody('nobody:good'), 400, 'model_not_found', 'model'],
  [chatBody(':good'), 400, 'model_not_found', 'model'],
  [chatBody('openai:good', { user: 'somebody-else' }), 403, 'user_mismatch', null],
  [chatBody('openai:good', { guardrails: [{ profile: 'unheard' }] }), 422, 'invalid_request', null],
])('%j is rejected with %i %s', async (body, status, code, param) => {
  const { userId, secret } = await someone();
  expect(await errorIn(await gateway.post(CHAT, body, secret))).toMatchObject({ status, code, param });
  expect(await gateway.usage(userId)).toEqual([]);
});

test('a request with the master key must name a user in the field that its route uses', async () => {
  const { userId } = await someone();
  expect(await errorIn(await gateway.post(CHAT, chatBody('openai:good'), MASTER))).toMatchObject({
    status: 400,
    code: 'user_required',
  });
  const unknown = await gateway.post(CHAT, chatBody('openai:good', { user: 'nobody' }), MASTER);
  expect(await errorIn(unknown)).toMatchObject({ status: 404, code: 'user_not_found' });
  expect((await gateway.post(CHAT, chatBody('openai:good', { user: userId }), MASTER)).status).toBe(200);
  const message = { model: 'anthropic:good', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
  expect((await gateway.post('/v1/messages', message, MASTER)).status).toBe(400);
  const named = { ...message, metadata: { user_id: userId } };
  expect((await gateway.post('/v1/messages', named, MASTER)).status).toBe(200);
  expect(await gateway.usage(userId)).toHaveLength(2);
});

test('user IDs from Anthropic clients do not select another user', async () => {
  const { secret } = await someone();
  const message = {
    model: 'anthropic:good',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hello' }],
    metadata: { user_id: 'user_abc_account__session_1' },
  };
  const answer = await gateway.post('/v1/messages', message, secret, {
    headers: { 'anthropic-beta': 'context-1m-2025-08-07' },
  });
  expect(answer.status).toBe(200);
  expect((await anthropic.last()).headers['anthropic-beta']).toBe('context-1m-2025-08-07');
});

test('a key with allowed models cannot use any other models, and an alias must be allowed separately', async () => {
  const { secret } = await someone({ allowed_models: ['openai:go*', 'best'] });
  expect((await gateway.post(CHAT, chatBody('openai:good'), secret)).status).toBe(200);
  expect((await gateway.post(CHAT, chatBody('OpenAI/good'), secret)).status).toBe(200);
  expect((await gateway.post(CHAT, chatBody('best'), secret)).status).toBe(200);
  for (const model of ['anthropic:good', 'dear']) {
    const answer = await gateway.post(CHAT, chatBody(model), secret);
    expect(await errorIn(answer)).toMatchObject({ status: 403, code: 'model_not_allowed' });
  }
});

test('a stream is the same whether the direct route or the app handles the request', async () => {
  const { userId, secret } = await someone();
  const body = chatBody('openai:good', { stream: true });
  const direct = await gateway.post(CHAT, body, secret);
  // The direct route does not handle this request.
  const app = await gateway.post(CHAT, body, secret, {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  const [one, other] = [await direct.text(), await app.text()];
  expect(contentOf(one)).toBe(REPLY);
  expect(other).toBe(one);
  const named = (answer: Response) =>
    Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'));
  expect(named(app)).toEqual(named(direct));
  expect(await gateway.usage(userId)).toHaveLength(2);
});
