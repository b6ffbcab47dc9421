import { afterEach, expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import type { FixtureWire } from '../../fixture-provider.ts';
import { TYPES } from '../../three-providers.ts';
import type { RunningTestGateway } from '../completions/running-gateway.ts';
import { CHAT, chat, HELLO, member, startCached } from './cache-gateway.ts';

const { ask, start } = await startCached();

const gateways: RunningTestGateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
});

const open: typeof start = async (cache, url) => {
  const gateway = await start(cache, url);
  gateways.push(gateway);
  return gateway;
};

describeDatabases(({ create, kind }) => {
  const requestsOf = (type: FixtureWire) =>
    [
      [CHAT, { model: `${type}:good`, messages: HELLO }],
      ['/v1/messages', { model: `${type}:good`, messages: HELLO, max_tokens: 100 }],
      ['/v1/responses', { model: `${type}:good`, input: 'Hello' }],
      ['/v1/completions', { model: `${type}:good`, prompt: 'Hello' }],
      [`/v1beta/models/${type}:good:{}`, { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }],
    ] as const;

  test('the variants of an A/B test do not share cached responses', async () => {
    const gateway = await open({ store: 'database' }, await create());
    const secret = await member(gateway, 'ann');
    const seen = new Map<string | null, (string | null)[]>();
    for (let person = 0; person < 12; person += 1) {
      const body = { model: 'tested', messages: HELLO, safety_identifier: `person-${person}` };
      const { variant, cache } = await ask(gateway, secret, CHAT, body);
      seen.set(variant, [...(seen.get(variant) ?? []), cache]);
    }
    expect(new Set(seen.keys())).toEqual(new Set(['candidate', 'current']));
    for (const caches of seen.values()) {
      const [first, ...others] = caches;
      expect([first, new Set(others)]).toEqual(['miss', new Set(['hit'])]);
    }
    const rows = await gateway.usage('ann');
    const missed = rows.filter(({ cache_hit: hit }) => hit === null);
    expect(missed).toHaveLength(2);
    expect(new Set(missed.map(({ model }) => model))).toEqual(new Set(['openai:good', 'openai:no-usage']));
  });

  test.each(kind === 'sqlite' ? TYPES : TYPES.slice(0, 1))(
    '%s: every API returns its cached response, buffered and streamed, at no cost',
    async (type) => {
      const gateway = await open({ store: 'database' }, await create());
      const secret = await member(gateway, 'ann');
      for (const [path, body] of requestsOf(type)) {
        for (const stream of [false, true]) {
          const isGemini = path.includes('{}');
          const route = path.replace('{}', stream ? 'streamGenerateContent?alt=sse' : 'generateContent');
          const asked = isGemini ? body : { ...body, stream };
          const first = await ask(gateway, secret, route, asked);
          const second = await ask(gateway, secret, route, asked);
          expect([route, first.cache, first.calls, second.cache, second.calls]).toEqual([
            route,
            'miss',
            1,
            'hit',
            0,
          ]);
          expect([second.text, second.type]).toEqual([first.text, first.type]);
          expect([first.age, Number(second.age) < 10]).toEqual([null, true]);
        }
      }
      const rows = await gateway.usage('ann');
      expect(rows.map(({ cache_hit: hit }) => hit)).toEqual(
        requestsOf(type).flatMap(() => [null, 'exact', null, 'exact']),
      );
      const [paid, hit] = rows;
      expect([paid?.cost, hit?.cost, hit?.['priced_by'], hit?.['usage_estimated']]).toEqual([
        expect.any(Number),
        0,
        null,
        false,
      ]);
      expect([hit?.prompt_tokens, hit?.completion_tokens]).toEqual([
        paid?.prompt_tokens,
        paid?.completion_tokens,
      ]);
      const { groups } = await gateway.admin('GET', '/v1/usage?group_by=cache_hit');
      expect(groups).toMatchObject([
        { group: { cache_hit: null }, requests: 10 },
        { group: { cache_hit: 'exact' }, requests: 10, cost: 0 },
      ]);
    },
  );

  test('gateways share the database cache, but not the memory cache', async () => {
    const url = await create();
    const one = await open({ store: 'database' }, url);
    const secret = await member(one, 'ann');
    await ask(one, secret, CHAT, chat());
    await one.stop();
    gateways.splice(0);
    const other = await open({ store: 'database' }, url);
    expect(await ask(other, secret, CHAT, chat())).toMatchObject({ cache: 'hit', calls: 0 });
    await other.stop();
    gateways.splice(0);
    const third = await open({ store: 'memory' }, url);
    expect(await ask(third, secret, CHAT, chat())).toMatchObject({ cache: 'miss', calls: 1 });
  });

  test.skipIf(kind === 'postgres')(
    'cached responses can be shared within a key, within a user or among all users',
    async () => {
      for (const [scope, ofOtherKey, ofOtherUser] of [
        ['key', 'miss', 'miss'],
        ['user', 'hit', 'miss'],
        ['shared', 'hit', 'hit'],
      ] as const) {
        const gateway = await open({ scope });
        const [first, second, other] = [
          await member(gateway, 'ann'),
          await member(gateway, 'ann'),
          await member(gateway, 'bob'),
        ];
        await ask(gateway, first, CHAT, chat({ user: undefined, metadata: { a: '1' } }));
        expect([scope, (await ask(gateway, second, CHAT, chat())).cache]).toEqual([scope, ofOtherKey]);
        expect([scope, (await ask(gateway, other, CHAT, chat())).cache]).toEqual([scope, ofOtherUser]);
      }
    },
  );
});
