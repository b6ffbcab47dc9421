import { afterAll, describe, expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { startRecorder } from '../../recording-proxy.ts';
import { instanceOf, priced, runGateway } from '../completions/running-gateway.ts';
import { ask, type WayAnswer } from './ways.ts';

// Free provider calls have their own limit. `ways.test.ts` sends texts on all routes; these calls only reference an object.
const fixture = await startFixture('openai');
const arrived: string[] = [];
const recorder = await startRecorder(fixture.url, arrived);
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', { ...fixture, url: recorder.url }, { dialect: { hasResponses: true } })],
    pricing: [priced('openai:good', 1, 1)],
  },
});
afterAll(() => gateway.stop());

/** Calls per minute of a key with one request per minute. */
const LIMIT = 10;
const newKey = async (fields: object = {}): Promise<{ readonly id: string; readonly key: string }> =>
  (await gateway.admin('POST', '/v1/keys', { user_id: 'ann', ...fields })) as unknown as {
    id: string;
    key: string;
  };
const count = (key: string): Promise<WayAnswer> =>
  ask({ url: gateway.url, key }, 'POST', '/v1/responses/input_tokens', { model: 'openai:good', input: 'Hi' });
const chat = (key: string): Promise<WayAnswer> =>
  ask({ url: gateway.url, key }, 'POST', '/v1/responses', { model: 'openai:good', input: 'Hi' });

describe('routes for stored objects', () => {
  const opened = useGateway();
  test('every route for stored objects counts toward the limit for free calls', async () => {
    const { id, key } = await newKey();
    const own = { url: gateway.url, key };
    const form = new FormData();
    form.set('purpose', 'batch');
    const body = { model: 'openai:good', messages: [{ role: 'user', content: 'Hi' }] };
    const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
    form.set('file', new File([JSON.stringify(line)], 'batch.jsonl'));
    const idOf = ({ text }: WayAnswer): string => (JSON.parse(text) as { readonly id: string }).id;
    const files = idOf(await ask(own, 'POST', '/v1/files', form));
    const about = { endpoint: '/v1/chat/completions', completion_window: '24h', input_file_id: files };
    const batches = idOf(await ask(own, 'POST', '/v1/batches', about));
    const background = { model: 'openai:good', input: 'Hi', background: true };
    const responses = idOf(await ask(own, 'POST', '/v1/responses', background));
    const ids: Readonly<Record<string, string>> = { files, batches, responses };
    await gateway.admin('PATCH', `/v1/keys/${id}`, { rpm: 1 });
    for (let sent = 0; sent < LIMIT; sent += 1) expect((await count(key)).status).toBe(200);
    expect((await count(key)).status).toBe(429);

    const routes = opened().app.routes.flatMap(({ method, path }) => {
      const [, kind] = /^\/v1\/(files|batches|responses)\/:id/.exec(path) ?? [];
      return kind === undefined || method === 'ALL' ? [] : [{ method, path, kind }];
    });
    expect(new Set(routes.map(({ kind }) => kind)).size).toBe(3);
    const before = arrived.length;
    for (const { method, path, kind } of routes) {
      const { status, text } = await ask(own, method, path.replace(':id', ids[kind] ?? ''));
      expect([method, path, status, text.includes('rate_limited')]).toEqual([method, path, 429, true]);
    }
    // A list shows only objects known to the gateway.
    expect((await ask(own, 'GET', '/v1/batches')).status).toBe(200);
    expect(arrived.slice(before)).toEqual([]);
    await gateway.admin('PATCH', `/v1/keys/${id}`, { rpm: null });
    expect((await ask(own, 'GET', `/v1/files/${files}`)).status).toBe(200);
  });
});

test('a key has separate rate limits for token counts and for other requests', async () => {
  const { key } = await newKey({ rpm: 1 });
  expect((await chat(key)).status).toBe(200);
  expect((await chat(key)).status).toBe(429);
  for (let sent = 0; sent < LIMIT; sent += 1) expect((await count(key)).status).toBe(200);
  expect((await count(key)).status).toBe(429);
  const other = await newKey({ rpm: 1 });
  for (let sent = 0; sent <= LIMIT; sent += 1) await count(other.key);
  expect((await chat(other.key)).status).toBe(200);
});

test('responses contain the rate limit state, and rejections contain Retry-After', async () => {
  const { key } = await newKey({ rpm: 20 });
  const send = () => gateway.post('/v1/responses/input_tokens', { model: 'openai:good', input: 'Hi' }, key);
  const answer = await send();
  expect(answer.headers.get('X-RateLimit-Limit')).toBe('40');
  expect(answer.headers.get('X-RateLimit-Remaining')).toBe('39');
  await Promise.all(Array.from({ length: 39 }, send));
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test.each([
  ['user', async () => await gateway.admin('PATCH', '/v1/users/eve', { rpm: 1 })],
  ['team', async () => await gateway.admin('PATCH', '/v1/teams/crew', { rpm: 1 })],
])('the %s limit applies across all keys', async (_of, limit) => {
  await gateway.admin('POST', '/v1/users', { user_id: 'eve' }).catch(() => undefined);
  await gateway.admin('PATCH', '/v1/users/eve', { rpm: null });
  await gateway.admin('POST', '/v1/teams', { team_id: 'crew' }).catch(() => undefined);
  await gateway.admin('PUT', '/v1/teams/crew/members/eve');
  await limit();
  const keys = await Promise.all([1, 2].map(() => newKey({ user_id: 'eve', team_id: 'crew' })));
  const statuses: number[] = [];
  for (let sent = 0; sent < 12; sent += 1) statuses.push((await count(keys[sent % 2]?.key ?? '')).status);
  expect(statuses).toEqual([...Array.from({ length: LIMIT }, () => 200), 429, 429]);
});

test('concurrent token counts have their own concurrency limit', async () => {
  const { key } = await newKey({ max_parallel: 2 });
  const all = await Promise.all(Array.from({ length: 12 }, () => count(key)));
  const statuses = all.map(({ status }) => status);
  expect(statuses).toContain(429);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  // All calls have finished, so new calls are admitted again.
  expect((await count(key)).status).toBe(200);
});
