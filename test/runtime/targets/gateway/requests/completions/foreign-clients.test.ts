import { afterAll, expect, test } from 'vitest';
import { startThree } from '../../three-providers.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT, errorIn } from './fixture-gateway.ts';
import { instanceOf, MASTER, runGateway } from './running-gateway.ts';

// Features that clients use and the API of the model's provider lacks.

const { fixtures } = await startThree();
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', fixtures.openai, { dialect: { hasResponses: true } }),
      instanceOf('anthropic', fixtures.anthropic),
      instanceOf('gemini', fixtures.gemini),
    ],
    requests: { userField: 'end_user', unsupportedTools: 'drop' },
  },
});
afterAll(() => gateway.stop());
await gateway.user('ann');
const secret = await gateway.key({ user_id: 'ann', allowed_models: ['openai:*', 'anthropic:*', 'gemini:*'] });

const MESSAGES = [{ role: 'user', content: 'Hello there' }];
const COUNT = '/v1/messages/count_tokens';

test.each([
  [COUNT, 'anthropic:good', { messages: MESSAGES }, { input_tokens: 25 }, null],
  [COUNT, 'gemini:good', { messages: MESSAGES, system: 'x' }, { input_tokens: 17 }, null],
  // OpenAI counts only requests of its own API, and a provider failure does not justify an error.
  [COUNT, 'openai:good', { messages: MESSAGES }, { input_tokens: 10 }, 'true'],
  [COUNT, 'anthropic:fails-500', { messages: MESSAGES }, { input_tokens: 10 }, 'true'],
  ['/v1/responses/input_tokens', 'openai:good', { input: 'Hello' }, { input_tokens: 21 }, null],
  ['/v1/responses/input_tokens', 'anthropic:good', { input: 'Hello' }, { input_tokens: 25 }, null],
])('%s counts tokens for %s', async (path, model, body, wanted, isEstimated) => {
  const answer = await gateway.post(path, { model, ...body }, secret);
  expect(await answer.json()).toMatchObject(wanted);
  expect([answer.status, answer.headers.get('x-gateway-estimated')]).toEqual([200, isEstimated]);
});

test('a byte order mark before a counted prompt is not sent to the provider', async () => {
  const body = `\uFEFF${JSON.stringify({ model: 'anthropic:good', messages: MESSAGES })}`;
  const answer = await gateway.post(COUNT, body, secret);
  expect([answer.status, await answer.json()]).toEqual([200, { input_tokens: 25 }]);
});

test('a token count writes no usage row and requires access to the model, and an invalid request is rejected', async () => {
  const before = (await gateway.usage('ann')).length;
  expect((await gateway.post(COUNT, { model: 'anthropic:good', messages: MESSAGES }, MASTER)).status).toBe(
    200,
  );
  expect((await gateway.usage('ann')).length).toBe(before);
  const other = await gateway.key({ user_id: 'ann', allowed_models: ['openai:*'] });
  const refused = await gateway.post(COUNT, { model: 'anthropic:good', messages: MESSAGES }, other);
  expect(await errorIn(refused)).toMatchObject({
    status: 403,
    code: 'model_not_allowed',
    type: 'permission_error',
  });
  expect((await gateway.post(COUNT, '{}', 'gw-nobody')).status).toBe(401);
  expect(await errorIn(await gateway.post(COUNT, { model: 'anthropic:good' }, secret))).toMatchObject({
    status: 422,
  });
  const wrong = await gateway.post(
    COUNT,
    { model: 'anthropic:good', messages: MESSAGES, max_tokens: 5 },
    secret,
  );
  expect(await errorIn(wrong)).toMatchObject({
    status: 400,
    message: 'max_tokens: Extra inputs are not permitted',
  });
});

test('tools of another provider are dropped, and the response lists them', async () => {
  const own = { type: 'function', name: 'weather', parameters: { type: 'object' } };
  const body = { model: 'anthropic:good', input: 'Hello', tools: [own, { type: 'web_search' }] };
  for (const stream of [false, true]) {
    const answer = await gateway.post('/v1/responses', { ...body, stream }, secret);
    expect([answer.status, answer.headers.get('x-gateway-dropped-tools')]).toEqual([200, 'web_search']);
    await answer.text();
    const { tools } = JSON.parse((await fixtures.anthropic.last()).body) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['weather']);
  }
  const alone = await gateway.post('/v1/responses', { ...body, tools: [{ type: 'web_search' }] }, secret);
  expect(await errorIn(alone)).toMatchObject({ status: 400, code: 'unsupported' });
  expect(gateway.logged.some((line) => line.includes('dropped tools'))).toBe(true);
});

test('`user` can be configured to name an end user, who is recorded but not charged', async () => {
  const calls = [
    [CHAT, chatBody('openai:good', { user: 'customer-7' }), 'customer-7'],
    [CHAT, chatBody('openai:good', { safety_identifier: 'hash-1' }), 'hash-1'],
    [
      '/v1/messages',
      { model: 'anthropic:good', max_tokens: 9, messages: MESSAGES, metadata: { user_id: 'claude' } },
      'claude',
    ],
    ['/v1/embeddings', { model: 'openai:good', input: 'x', user: 'x'.repeat(300) }, 'x'.repeat(256)],
    [CHAT, chatBody('openai:good'), null],
  ] as const;
  for (const [path, body, endUser] of calls) {
    const before = (await gateway.usage('ann')).length;
    expect((await gateway.post(path, body, secret)).status).toBe(200);
    const rows = await gateway.usage('ann');
    expect(rows.length).toBe(before + 1);
    expect(rows.at(-1)).toMatchObject({ user_id: 'ann', end_user: endUser });
  }
  // The provider receives it unchanged.
  await gateway.post(CHAT, chatBody('openai:good', { user: 'customer-7' }), secret);
  expect((await fixtures.openai.last()).body).toContain('"user":"customer-7"');
  const groups = await gateway.admin('GET', '/v1/usage?group_by=end_user&end_user=customer-7');
  expect(groups['groups']).toMatchObject([{ group: { end_user: 'customer-7' }, requests: 2 }]);
  // With the master key, it still selects the paying user.
  const unknown = await gateway.post(CHAT, chatBody('openai:good', { user: 'customer-7' }), MASTER);
  expect(await errorIn(unknown)).toMatchObject({ status: 404, code: 'user_not_found' });
});
