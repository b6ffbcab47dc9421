import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { instanceOfEntry } from '../../cloud-provider.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startKeyGate } from '../../key-gate.ts';
import { priced, runGateway } from '../completions/running-gateway.ts';

// Real requests through pools of clouds: Azure with deployments in paths, Bedrock with its own event streams
// and keys instead of signatures.
const fixtures = { azure: await startFixture('azure'), bedrock: await startFixture('bedrock') };
const gates = {
  azure: await startKeyGate(fixtures.azure.url),
  bedrock: await startKeyGate(fixtures.bedrock.url),
};
const [BAD, GOOD] = ['bedrock-pool-bad-0123456789', 'bedrock-pool-good-0123456789'];
/** The first key gets almost all requests. */
const keys = { bad: { api_key: BAD, weight: 1_000_000_000 }, good: { api_key: GOOD, weight: 1 } };
/** Keys of the machine, which must not be used. */
const AWS = { AWS_ACCESS_KEY_ID: 'AKIDFIXTURE', AWS_SECRET_ACCESS_KEY: 'a-secret-of-this-machine' };
const DATED = '2025-03-01-preview';
const azure = await instanceOfEntry('azure', {
  api_base: gates.azure.url,
  api_version: DATED,
  deployments: { 'gpt-4o': 'my deployment' },
  keys,
});
const bedrock = await instanceOfEntry(
  'bedrock',
  { api_base: gates.bedrock.url, aws: { region: 'us-east-1' }, keys },
  AWS,
);
const MODELS = ['azure:gpt-4o', 'azure:draw', 'azure:e5', 'bedrock:good', 'bedrock:anthropic.good'];
const gateway = await runGateway({
  models: {
    providers: [azure, bedrock],
    pricing: [...MODELS, 'bedrock:amazon.titan-embed-text-v2'].map((model) => priced(model, 1000, 1000)),
  },
});
afterAll(() => gateway.stop());

const reject = (key: string, status: number): void => {
  for (const gate of Object.values(gates))
    gate.judge = (request) => (request.key === key ? { status, headers: { 'retry-after': '0' } } : undefined);
};
beforeEach(() => {
  for (const gate of Object.values(gates)) gate.seen.splice(0);
});

const chat = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 100,
  ...more,
});
const DEPLOYED = '/openai/deployments/my%20deployment/chat/completions';
type Cloud = keyof typeof gates;

const WAYS: readonly (readonly [name: string, Cloud, route: string, body: object, path: string])[] = [
  ['a chat', 'azure', '/v1/chat/completions', chat('azure:gpt-4o'), DEPLOYED],
  ['a stream', 'azure', '/v1/chat/completions', chat('azure:gpt-4o', { stream: true }), DEPLOYED],
  ['a response', 'azure', '/v1/responses', { model: 'azure:gpt-4o', input: 'Hi' }, '/openai/responses'],
  [
    'embeddings',
    'azure',
    '/v1/embeddings',
    { model: 'azure:e5', input: ['a', 'b'] },
    '/openai/deployments/e5/embeddings',
  ],
  [
    'images',
    'azure',
    '/v1/images/generations',
    { model: 'azure:draw', prompt: 'A cat' },
    '/openai/deployments/draw/images/generations',
  ],
  ['a chat', 'bedrock', '/v1/chat/completions', chat('bedrock:good'), '/model/good/converse'],
  [
    'a stream',
    'bedrock',
    '/v1/chat/completions',
    chat('bedrock:good', { stream: true }),
    '/model/good/converse-stream',
  ],
  ['messages', 'bedrock', '/v1/messages', chat('bedrock:anthropic.good'), '/model/anthropic.good/invoke'],
  [
    'a stream of messages',
    'bedrock',
    '/v1/messages',
    chat('bedrock:anthropic.good', { stream: true }),
    '/model/anthropic.good/invoke-with-response-stream',
  ],
  [
    'embeddings',
    'bedrock',
    '/v1/embeddings',
    { model: 'bedrock:amazon.titan-embed-text-v2', input: ['a', 'b'] },
    '/model/amazon.titan-embed-text-v2/invoke',
  ],
];

let users = 0;

describe.each([429, 401])('a key that is rejected with %i', (status) => {
  test.each(WAYS)('%s on %s at %s uses another key', async (_name, cloud, route, body, path) => {
    const userId = `user-${(users += 1)}`;
    await gateway.user(userId);
    const key = await gateway.key({ user_id: userId });
    reject(BAD, status);
    const response = await gateway.post(route, body, key);
    const text = await response.text();
    expect([response.status, text.includes('-pool-')], text).toEqual([200, false]);
    const { seen } = gates[cloud];
    // Each request has exactly one credential, and both keys are used with the same path.
    expect(new Set(seen.map((one) => one.key))).toContain(GOOD);
    expect(seen.every((one) => one.key === BAD || one.key === GOOD)).toBe(true);
    expect(seen.at(-1)?.key).toBe(GOOD);
    for (const one of seen) expect(decodeURI(one.path.split('?')[0] ?? '')).toBe(decodeURI(path));
    await expect
      .poll(async () => (await gateway.usage(userId)).map((row) => [row.status, row['provider_key']]))
      .toContainEqual(['success', 'good']);
    expect(JSON.stringify(await gateway.usage(userId))).not.toContain('-pool-');
  });
});

test('token counts and lists of models use the pool', async () => {
  reject(BAD, 429);
  await gateway.user('counter');
  const key = await gateway.key({ user_id: 'counter' });
  const counted = await gateway.post('/v1/messages/count_tokens', chat('bedrock:anthropic.good'), key);
  expect([counted.status, await counted.text()]).toEqual([200, expect.stringContaining('input_tokens')]);
  expect(gates.bedrock.seen.at(-1)?.key).toBe(GOOD);
  const { data } = (await gateway.admin('GET', '/v1/models')) as { data: readonly { id: string }[] };
  expect(data.some(({ id }) => id.startsWith('bedrock:'))).toBe(true);
});

test('a failure names neither key, and both states are known', async () => {
  for (const gate of Object.values(gates)) gate.judge = () => ({ status: 429 });
  await gateway.user('limited');
  const key = await gateway.key({ user_id: 'limited' });
  for (const model of ['azure:gpt-4o', 'bedrock:good']) {
    const response = await gateway.post('/v1/chat/completions', chat(model), key);
    expect([response.status, (await response.text()).includes('-pool-')]).toEqual([429, false]);
  }
  const states = (await gateway.admin('GET', '/v1/provider-keys')) as unknown as readonly {
    readonly provider: string;
    readonly key: string;
    readonly failures: Readonly<Record<string, number>>;
  }[];
  for (const provider of ['azure', 'bedrock'])
    for (const name of ['bad', 'good'])
      expect(states.find((one) => one.provider === provider && one.key === name)?.failures).toMatchObject({
        rate_limited: expect.any(Number),
      });
});
