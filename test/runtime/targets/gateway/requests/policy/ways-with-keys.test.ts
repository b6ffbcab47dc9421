import { once } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'undici';
import { startFixture } from '../../fixture-provider.ts';
import { startKeyGate } from '../../key-gate.ts';
import { instanceOf, priced, runGateway } from '../completions/running-gateway.ts';
import { ask, WAYS } from './ways.ts';

// Every way to a provider uses the pool of the provider's keys: each test sends real requests through a gate
// that decides by key, as a provider does.
const [openai, anthropic, gemini, words] = [
  await startFixture('openai'),
  await startFixture('anthropic'),
  await startFixture('gemini'),
  await startFixture('encoder'),
];
const gates = {
  openai: await startKeyGate(openai.url),
  anthropic: await startKeyGate(anthropic.url),
  gemini: await startKeyGate(gemini.url),
};
const BAD = 'sk-pool-bad-0123456789';
const GOOD = 'sk-pool-good-0123456789';
/** The first key gets almost all requests. */
const pool = {
  apiKey: undefined,
  keys: [
    { name: 'bad', apiKey: BAD, weight: 1e9 },
    { name: 'good', apiKey: GOOD, weight: 1 },
  ],
};
const models = ['openai:good', 'anthropic:good', 'gemini:good', 'openai:whisper-1', 'encoder:words'];
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf(
        'openai',
        { ...openai, url: gates.openai.url },
        { ...pool, dialect: { hasResponses: true } },
      ),
      instanceOf('anthropic', { ...anthropic, url: gates.anthropic.url }, pool),
      instanceOf('gemini', { ...gemini, url: gates.gemini.url }, pool),
      { name: 'words', type: 'encoder', baseUrl: words.url, local: true },
    ],
    pricing: models.map((model) => priced(model, 1000, 1000)),
  },
});
afterAll(() => gateway.stop());

const all = Object.values(gates);
/** Rejects a key until it works again. A pause of 0 lets each request try it. */
const reject = (key: string, status: number): void => {
  for (const gate of all)
    gate.judge = (request) => (request.key === key ? { status, headers: { 'retry-after': '0' } } : undefined);
};
const accept = (): void => {
  for (const gate of all) gate.judge = () => undefined;
};
const seen = () => all.flatMap((gate) => gate.seen.splice(0));
const finish = async (): Promise<void> => void (await fetch(`${openai.url}/finish`, { method: 'POST' }));
let users = 0;
const someone = async () => {
  const userId = `user-${(users += 1)}`;
  await gateway.user(userId);
  return { userId, asked: { url: gateway.url, key: await gateway.key({ user_id: userId }), finish } };
};

describe('a key that has reached its limit', () => {
  const ways = WAYS.filter(({ name }) => name !== '/v1/classify' && name !== '/v1/rerank');
  test.each(ways.map((way) => [way.name, way] as const))('%s uses another key', async (_name, way) => {
    const { userId, asked } = await someone();
    reject(BAD, 429);
    seen();
    const answer = await way.send(asked, 'Hello');
    expect([answer.status, answer.text.includes('sk-pool')]).toEqual([200, false]);
    const used = seen();
    // Objects go back to the key that created them, so only their creation tries the other key.
    expect(used.map(({ key }) => key)).toContain(BAD);
    expect(used.at(-1)?.key).toBe(GOOD);
    if (way.isFree) return;
    const rows = await gateway.usage(userId);
    expect(rows.map((row) => [row.status, row['provider_key']])).toContainEqual(['success', 'good']);
    expect(JSON.stringify(rows)).not.toContain('sk-pool');
  });

  test('a realtime session is opened with another key, which its usage names', async () => {
    const { userId, asked } = await someone();
    reject(BAD, 429);
    seen();
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=openai:good`, {
      headers: { authorization: `Bearer ${asked.key}` },
    });
    await once(socket, 'open');
    expect(seen().map(({ key }) => key)).toEqual([BAD, GOOD]);
    socket.send(JSON.stringify({ type: 'response.create' }));
    await expect.poll(async () => (await gateway.usage(userId)).length).toBeGreaterThan(0);
    expect((await gateway.usage(userId)).map((row) => row['provider_key'])).toContain('good');
    socket.close();
    await once(socket, 'close');
  });

  test('the list of models', async () => {
    reject(BAD, 429);
    expect((await gateway.admin('GET', '/v1/models'))['data']).toContainEqual(
      expect.objectContaining({ id: 'openai:good' }),
    );
    accept();
  });
});

describe('objects stay with the key that created them', () => {
  const upload = async (asked: Parameters<typeof ask>[0], text: string) => {
    const body = new FormData();
    body.set('purpose', 'user_data');
    body.set('file', new File([text], 'notes.txt'));
    return JSON.parse((await ask(asked, 'POST', '/v1/files', body)).text) as { readonly id: string };
  };

  test('requests for them, and requests that refer to them, use no other key', async () => {
    const { asked } = await someone();
    reject(BAD, 429);
    const file = await upload(asked, 'Hello');
    const asking = { model: 'openai:good', input: 'Hello', background: true };
    const created = await ask(asked, 'POST', '/v1/responses', asking);
    await finish();
    const response = JSON.parse(created.text) as { readonly id: string };
    accept();
    seen();
    const input = [{ role: 'user', content: [{ type: 'input_file', file_id: file.id }] }];
    const asks = [
      ['GET', `/v1/files/${file.id}`],
      ['GET', `/v1/files/${file.id}/content`],
      ['GET', `/v1/responses/${response.id}`],
      ['GET', `/v1/responses/${response.id}/input_items`],
      ['POST', '/v1/responses', { model: 'openai:good', input: 'More', previous_response_id: response.id }],
      ['POST', '/v1/responses', { model: 'openai:good', input }],
      ['POST', '/v1/responses/input_tokens', { model: 'openai:good', input }],
      ['DELETE', `/v1/responses/${response.id}`],
      ['DELETE', `/v1/files/${file.id}`],
    ] as const;
    for (const [method, path, body] of asks) {
      const { status, text } = await ask(asked, method, path, body);
      expect([path, status], text).toEqual([path, 200]);
    }
    const used = seen();
    expect(used.length).toBeGreaterThanOrEqual(asks.length);
    expect(new Set(used.map(({ key }) => key))).toEqual(new Set([GOOD]));
  });

  test('a request cannot refer to objects of two keys', async () => {
    const { asked } = await someone();
    reject(BAD, 429);
    const one = await upload(asked, 'one');
    reject(GOOD, 429);
    const other = await upload(asked, 'other');
    accept();
    const content = [one, other].map(({ id }) => ({ type: 'input_file', file_id: id }));
    const body = { model: 'openai:good', input: [{ role: 'user', content }] };
    const { status, text } = await ask(asked, 'POST', '/v1/responses', body);
    expect([status, text]).toEqual([400, expect.stringContaining('stored with different keys')]);
  });

  test('an object of a key that has reached its limit is not requested with another key', async () => {
    const { asked } = await someone();
    reject(BAD, 429);
    const { id } = await upload(asked, 'one');
    reject(GOOD, 429);
    seen();
    expect((await ask(asked, 'GET', `/v1/files/${id}`)).status).toBe(429);
    expect(new Set(seen().map(({ key }) => key))).toEqual(new Set([GOOD]));
    accept();
  });
});

describe('what administrators see', () => {
  test('states, metrics, logs and pages name keys, and never contain them', async () => {
    reject(BAD, 401);
    const { asked } = await someone();
    const body = { model: 'openai:good', messages: [{ role: 'user', content: 'Hello' }] };
    for (let sent = 0; sent < 3; sent += 1)
      expect((await ask(asked, 'POST', '/v1/chat/completions', body)).status).toBe(200);
    const states = (await gateway.admin('GET', '/v1/provider-keys')) as unknown as readonly {
      readonly provider: string;
      readonly key: string;
      readonly failures: Readonly<Record<string, number>>;
      readonly cooling: readonly { readonly reason: string; readonly model: string | null }[];
    }[];
    const bad = states.find(({ provider, key }) => provider === 'openai' && key === 'bad');
    expect(bad).toMatchObject({ failures: { credentials: expect.any(Number) } });
    expect(bad?.cooling[0]).toMatchObject({ reason: 'credentials', model: null });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/gateway_provider_key_calls_total\{provider="openai",key="good"\} \d+/);
    expect(metrics).toMatch(
      /gateway_provider_key_failures_total\{provider="openai",key="bad",failure="credentials"\} \d+/,
    );
    expect(metrics).toMatch(/gateway_provider_key_cooling_seconds\{provider="openai",key="bad"\} [\d.]+/);
    expect(gateway.logged.join('\n')).toContain('the key is used last for a while');
    const shown = [JSON.stringify(states), metrics, gateway.logged.join('\n')].join('\n');
    expect(shown).not.toContain('sk-pool');
    accept();
  });

  test('users do not see the names of keys', async () => {
    const { userId, asked } = await someone();
    const body = { model: 'openai:good', messages: [{ role: 'user', content: 'Hello' }] };
    await ask(asked, 'POST', '/v1/chat/completions', body);
    const own = await ask(asked, 'GET', '/v1/usage');
    expect([own.status, own.text.includes('provider_key')]).toEqual([200, false]);
    expect((await ask(asked, 'GET', '/v1/usage?format=csv')).text).not.toContain('provider_key');
    expect((await ask(asked, 'GET', '/v1/usage?group_by=provider_key')).status).toBe(403);
    expect((await ask(asked, 'GET', '/v1/provider-keys')).status).toBe(401);
    const { groups } = (await gateway.admin(
      'GET',
      `/v1/usage?group_by=provider_key&user_id=${userId}`,
    )) as unknown as { groups: readonly { readonly group: Readonly<Record<string, string>> }[] };
    expect(groups.map(({ group }) => group)).toEqual([{ provider_key: 'good' }]);
  });
});
