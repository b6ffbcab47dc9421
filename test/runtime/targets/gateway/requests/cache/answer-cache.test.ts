import { expect, test } from 'vitest';
import { createAnswerCache } from '#gateway/requests/cache/answer-cache.ts';
import { CACHE_DEFAULTS } from '#gateway/requests/cache/cache-settings.ts';
import { createModelCache } from '#gateway/requests/cache/model-cache.ts';
import { createStoredEntries, createTidyStored } from '#gateway/requests/cache/stored-entries.ts';
import { describeDatabases } from '../../databases.ts';
import { UNCLEARED } from '../../api/answer-cache-on.ts';
import { createTestClock } from '../../test-clock.ts';

const entryOf = (key: string, createdAt: number, length = 100, keyId: string | null = null) => ({
  key,
  body: Uint8Array.from({ length }, (_, at) => at % 256),
  target: 'openai:good',
  promptTokens: 3,
  completionTokens: 5,
  droppedTools: ['web_search'],
  keyId,
  createdAt,
  expiresAt: createdAt + 60_000,
});

describeDatabases(({ create, open: openState, openStore }) => {
  test('a cleared cache serves no responses, from the database or from the memory of any gateway', async () => {
    const url = await create();
    const clock = createTestClock();
    const states = [await openState(url, { clock }), await openState(url, { clock })];
    const caches = states.map(({ store: { db }, cacheClears: clears }) =>
      createAnswerCache({
        db,
        clock,
        clears,
        onError: (error) => {
          throw error;
        },
      }),
    );
    const inMemory = { ...CACHE_DEFAULTS, store: 'memory' } as const;
    const settings = { ...CACHE_DEFAULTS, store: 'database' } as const;
    const now = (): number => Math.floor(clock.now());
    for (const key of ['a', 'b']) caches[0]?.keep(entryOf(key, now(), 10, `key-${key}`), settings);
    caches[1]?.keep(entryOf('c', now(), 10), inMemory);
    await caches[0]?.close();
    /** The entries that each gateway finds. The database revision is cached for a second. */
    const found = async (): Promise<string[]> => {
      clock.advance(1001);
      const all = caches.map((cache) =>
        ['a', 'b', 'c'].map(async (key) => ((await cache.find(key, settings)) ? key : '')),
      );
      return await Promise.all(all.map(async (keys) => (await Promise.all(keys)).join('')));
    };
    expect(await found()).toEqual(['ab', 'abc']);
    expect(await states[1]?.cacheClears.clear('key-a')).toBe(1);
    expect(await found()).toEqual(['b', 'bc']);
    // The entry was still being written to the database.
    await createStoredEntries(states[0]?.store.db as never).put(
      [entryOf('a', now() - 5000, 10, 'key-a')],
      undefined,
    );
    expect(await found()).toEqual(['b', 'bc']);
    expect(await states[0]?.cacheClears.clear()).toBe(2);
    expect(await found()).toEqual(['', '']);
    caches[0]?.keep(entryOf('a', now(), 10, 'key-a'), settings);
    await caches[0]?.close();
    expect(await found()).toEqual(['a', 'a']);
    const events = (await states[0]?.auditLog.list({ action: 'cache' }, { skip: 0, limit: 9 }))?.events;
    expect(events).toMatchObject([
      { action: 'cache.clear', object: null, after: '{"deleted":2}' },
      { action: 'cache.clear', object: 'key-a', after: '{"deleted":1}' },
    ]);
  });

  test('responses and vectors are stored unchanged until they expire or exceed the size limit', async () => {
    const { db } = await openStore(await create());
    const stored = createStoredEntries(db);
    const question = { group: 'g', vector: Float32Array.from([0.6, -0.8]) };
    for (let at = 1; at <= 5; at += 1)
      await stored.put([entryOf(`k${at}`, at * 1000)], at % 2 === 0 ? question : undefined);
    expect(await stored.get(['k2', 'missing'], 3000)).toEqual([entryOf('k2', 2000)]);
    expect(await stored.get(['k2'], 62_000)).toEqual([]);
    expect(await stored.get([], 3000)).toEqual([]);
    expect(await stored.vectors(2000, 3000, 10)).toEqual([
      { ...question, key: 'k2', expiresAt: 62_000 },
      { ...question, key: 'k4', expiresAt: 64_000 },
    ]);
    expect((await stored.vectors(0, 3000, 1)).map(({ key }) => key)).toEqual(['k4']);
    // A new entry replaces the previous one.
    await stored.put([entryOf('k3', 9000, 10)], question);
    expect(await stored.get(['k3'], 9000)).toEqual([entryOf('k3', 9000, 10)]);
    // Also if a write contains it twice; the last one is kept.
    const sizes = await stored.put(
      [entryOf('k3', 8000), entryOf('k3', 9000, 10), entryOf('k5', 5000)],
      undefined,
    );
    expect(sizes).toEqual([510, 600]);
    await stored.put([entryOf('k3', 9000, 10)], question);

    const kept = async (): Promise<string[]> =>
      (await db.selectFrom('gateway_answers').select('key').orderBy('created_at').execute()).map(
        ({ key }) => key,
      );
    expect(await stored.size()).toBe(4 * 600 + 510 + 2 * 8 + 8);
    expect(await stored.deleteExpired(61_500)).toBe(600);
    expect(await kept()).toEqual(['k2', 'k4', 'k5', 'k3']);
    const tidy = createTidyStored(stored);
    await tidy(0, 1200, 61_500);
    expect(await kept()).toEqual([]);
    for (let at = 1; at <= 250; at += 1)
      for (const size of await stored.put([entryOf(`n${at}`, at)], undefined)) await tidy(size, 150 * 600, 0);
    expect((await kept()).at(0)).toBe('n101');
    expect([(await kept()).length, await stored.size()]).toEqual([150, 150 * 600]);
  });

  test('a response is served by all processes until it expires', async () => {
    const { db } = await openStore(await create());
    const clock = createTestClock();
    const errors: unknown[] = [];
    const open = () =>
      createAnswerCache({ db, clock, clears: UNCLEARED, onError: (error) => errors.push(error) });
    const settings = { ...CACHE_DEFAULTS, store: 'database' } as const;
    const [one, other] = [open(), open()];
    const now = Math.floor(clock.now());
    one.keep(entryOf('a', now), settings);
    await one.close();
    for (const cache of [one, other]) {
      expect(await cache.find('a', settings)).toEqual(entryOf('a', now));
      expect(await cache.find('b', settings)).toBeUndefined();
    }
    clock.advance(5000);
    for (const cache of [one, other, open()]) {
      expect(await cache.find('a', settings, 4999)).toBeUndefined();
      expect(await cache.find('a', { ...settings, ttlMs: 4999 })).toBeUndefined();
      expect(await cache.find('a', settings, 5000)).toBeDefined();
    }
    clock.advance(55_000);
    for (const cache of [one, other]) expect(await cache.find('a', settings)).toBeUndefined();
    expect(errors).toEqual([]);
    // Without the table, nothing is found and nothing fails.
    await db.schema.dropTable('gateway_answers').execute();
    expect(await one.find('c', settings)).toBeUndefined();
    one.keep(entryOf('d', clock.now()), settings);
    await one.close();
    expect([errors.length, (await one.find('d', settings))?.key]).toEqual([2, 'd']);
  });
});

test('a cached response is used only for the same provider address and settings', () => {
  const provider = { name: 'p', type: 'openai', baseUrl: 'http://a/v1', local: true } as const;
  const of = (config: object, others: unknown = []) => {
    const { origin, shared } = createModelCache(CACHE_DEFAULTS, [{ ...provider, ...config }], others);
    return `${origin(provider)} ${shared}`;
  };
  expect(of({ apiKey: 'other' })).toBe(of({}));
  expect(new Set([of({}), of({ baseUrl: 'http://b/v1' }), of({}, [1])]).size).toBe(3);
});
