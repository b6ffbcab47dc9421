import { afterAll, describe, expect, test } from 'vitest';
import { AFFINITY_DEFAULTS, sessionOf } from '#gateway/requests/routing/affinity.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startKeyGate } from '../../key-gate.ts';
import { instanceOf, priced, runGateway } from '../completions/running-gateway.ts';

const NO_HEADERS = new Headers();

describe('the session of a request', () => {
  const parts = { headers: NO_HEADERS, body: {}, endUser: undefined, payer: 'ann' };

  test.each([
    ['a header', { headers: new Headers({ 'x-gateway-session': 's' }) }],
    ['the header of a coding agent', { headers: new Headers({ 'x-claude-code-session-id': 's' }) }],
    ['a prompt cache key', { body: { prompt_cache_key: 's' } }],
    ['a conversation', { body: { conversation: 's' } }],
    ['a conversation as an object', { body: { conversation: { id: 's' } } }],
    ['the client’s own user', { endUser: 's' }],
  ])('%s', (_name, more) => {
    expect(sessionOf({ ...parts, ...more }, AFFINITY_DEFAULTS)?.id).toMatch(/^[\w-]{43}$/);
  });

  test('a request without one has none, and neither has one with an unusable value', () => {
    expect(sessionOf(parts, AFFINITY_DEFAULTS)).toBeUndefined();
    for (const body of [{ prompt_cache_key: 1 }, { conversation: { id: null } }, { prompt_cache_key: '' }])
      expect(sessionOf({ ...parts, body }, AFFINITY_DEFAULTS)).toBeUndefined();
  });

  test('equal values of two users are two sessions, and so are equal values of two sources', () => {
    const body = { prompt_cache_key: 's' };
    const ids = [
      sessionOf({ ...parts, body }, AFFINITY_DEFAULTS),
      sessionOf({ ...parts, body, payer: 'bob' }, AFFINITY_DEFAULTS),
      sessionOf({ ...parts, endUser: 's' }, AFFINITY_DEFAULTS),
    ].map((session) => session?.id);
    expect(new Set(ids).size).toBe(3);
  });

  test('a value cannot imitate another user’s value', () => {
    const forged = sessionOf(
      { ...parts, payer: 'ann', body: { prompt_cache_key: 's","prompt_cache_key","t' } },
      AFFINITY_DEFAULTS,
    );
    const real = sessionOf(
      { ...parts, payer: 'ann","prompt_cache_key","s', body: { prompt_cache_key: 't' } },
      AFFINITY_DEFAULTS,
    );
    expect(forged?.id).not.toBe(real?.id);
  });

  test('the order of sources is configurable, and long values are cut', () => {
    const settings = { ...AFFINITY_DEFAULTS, sources: ['user'] as const };
    const body = { prompt_cache_key: 's' };
    expect(sessionOf({ ...parts, body }, settings)?.id).toBe(sessionOf(parts, settings)?.id);
    const long = (end: string) =>
      sessionOf({ ...parts, body: { prompt_cache_key: 'x'.repeat(1024) + end } }, AFFINITY_DEFAULTS)?.id;
    expect(long('a')).toBe(long('b'));
  });
});

const openai = await startFixture('openai');
const gate = await startKeyGate(openai.url);
const secretOf = (name: string): string => `sk-affinity-${name}-0123456789`;
const NAMES = ['a', 'b', 'c'];
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf(
        'openai',
        { ...openai, url: gate.url },
        { apiKey: undefined, keys: NAMES.map((name) => ({ name, apiKey: secretOf(name), weight: 1 })) },
      ),
      instanceOf('openai', openai, { name: 'east' }),
      instanceOf('openai', openai, { name: 'west' }),
    ],
    aliases: [{ name: 'regions', targets: [{ model: 'east:good' }, { model: 'west:good' }] }],
    affinity: AFFINITY_DEFAULTS,
    pricing: [priced('openai:good', 10, 30, 1)],
  },
});
afterAll(() => gateway.stop());

let users = 0;
const someone = async (): Promise<{ readonly userId: string; readonly secret: string }> => {
  const userId = `user-${(users += 1)}`;
  await gateway.user(userId);
  return { userId, secret: await gateway.key({ user_id: userId }) };
};
const chat = async (secret: string, more: object, model = 'openai:good', headers = {}) => {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...more };
  const answer = await gateway.post('/v1/chat/completions', body, secret, { headers });
  await answer.text();
  return answer.status;
};
const keys = (): string[] => gate.seen.splice(0).map(({ key }) => key);

describe('a gateway with affinity', () => {
  test('all requests of a session use the same key, and sessions are distributed among the keys', async () => {
    const { secret } = await someone();
    const used = new Set<string>();
    for (let session = 0; session < 12; session += 1) {
      keys();
      for (let turn = 0; turn < 3; turn += 1)
        await chat(secret, { prompt_cache_key: `s${session}`, stream: turn === 2 });
      const ofSession = new Set(keys());
      expect(ofSession.size).toBe(1);
      for (const key of ofSession) used.add(key);
    }
    expect(used.size).toBe(3);
  });

  test('other APIs and the header state sessions, too', async () => {
    const { secret } = await someone();
    const send = async (path: string, body: object) =>
      expect((await gateway.post(path, body, secret, { headers: { 'x-gateway-session': 'h' } })).status).toBe(
        200,
      );
    keys();
    for (let turn = 0; turn < 3; turn += 1) {
      const messages = [{ role: 'user', content: 'Hello' }];
      await send('/v1/messages', { model: 'openai:good', max_tokens: 5, messages });
      await send('/v1/chat/completions', { model: 'openai:good', messages });
    }
    expect(new Set(keys()).size).toBe(1);
  });

  test('a session moves if its key is rejected, and stays at its new key', async () => {
    const { secret, userId } = await someone();
    const more = { prompt_cache_key: 'moves' };
    keys();
    await chat(secret, more);
    const [home] = keys();
    gate.judge = ({ key }) => (key === home ? { status: 429, headers: { 'retry-after': '1' } } : undefined);
    expect(await chat(secret, more)).toBe(200);
    const [, moved] = keys();
    expect(moved).not.toBe(home);
    gate.judge = () => undefined;
    for (let turn = 0; turn < 3; turn += 1) await chat(secret, more);
    expect(new Set(keys())).toEqual(new Set([moved]));
    const rows = await gateway.usage(userId);
    expect(rows.map((row) => secretOf(String(row['provider_key'])))).toEqual([
      home,
      ...Array.from({ length: 4 }, () => moved),
    ]);
  });

  test('all requests of a session use the same target of an alias', async () => {
    const { secret } = await someone();
    const served = new Set<string>();
    for (let session = 0; session < 12; session += 1) {
      const more = { prompt_cache_key: `t${session}` };
      for (let turn = 0; turn < 3; turn += 1) await chat(secret, more, 'regions');
    }
    const { items } = (await gateway.admin('GET', '/v1/requests?limit=36')) as unknown as {
      readonly items: readonly { readonly model: string }[];
    };
    const models = items.map(({ model }) => model);
    for (let at = 0; at < 36; at += 3) {
      const ofSession = new Set(models.slice(at, at + 3));
      expect(ofSession.size).toBe(1);
      for (const model of ofSession) served.add(model);
    }
    expect(served).toEqual(new Set(['east:good', 'west:good']));
  });

  test('usage states what the provider’s cache saved', async () => {
    const { secret, userId } = await someone();
    await chat(secret, {});
    const [row] = await gateway.usage(userId);
    const cached = Number(row?.['cached_tokens']);
    expect(cached).toBeGreaterThan(0);
    // 10 dollars per million without the cache, and 1 with it.
    expect(row?.['cache_saved']).toBeCloseTo((cached * 9) / 1_000_000, 12);
    const { totals } = (await gateway.admin('GET', `/v1/usage?user_id=${userId}`)) as unknown as {
      readonly totals: Readonly<Record<string, number>>;
    };
    expect(totals).toMatchObject({ cached_tokens: cached, cache_saved: row?.['cache_saved'] });
    const { totals: spent } = (await gateway.admin(
      'GET',
      `/v1/usage/spending?user_id=${userId}&interval=day`,
    )) as unknown as { readonly totals: Readonly<Record<string, number>> };
    expect(spent).toMatchObject({ cached_tokens: cached, cache_saved: row?.['cache_saved'] });
  });
});
