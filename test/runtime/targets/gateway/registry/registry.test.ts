import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';
import { startFixture } from '../fixture-provider.ts';
import { newKey, useRegistryGateways } from './registry-gateways.ts';

const openai = await startFixture('openai');
const start = useRegistryGateways();

const SECRET = 'sk-canary-of-the-registry-51c0';
const own = (name: string, more: object = {}): object => ({
  name,
  type: 'openai-compatible',
  api_base: `${openai.url}/v1`,
  api_key: SECRET,
  ...more,
});
const fileEntry = { type: 'openai-compatible', api_base: `${openai.url}/v1`, api_key: 'sk-of-the-file' };
const CONFIG = { providers: { main: fileEntry }, aliases: { old: 'main:good' } };

describeDatabases((database) => {
  test('a provider and an alias apply to all gateways and survive a restart', async () => {
    const url = await database.create();
    const [one, two] = [await start(url, { config: CONFIG }), await start(url, { config: CONFIG })];
    const key = await newKey(one);
    // Both have cached that the model does not exist.
    expect([await one.chat('fast', key), await two.chat('fast', key)]).toEqual([400, 400]);
    const made = await one.ask(
      'POST',
      '/v1/providers',
      own('Extra', { headers: { 'X-Team': SECRET }, models: ['good'] }),
    );
    expect(made).toMatchObject({
      status: 200,
      body: {
        name: 'extra',
        source: 'database',
        status: 'active',
        problem: null,
        type: 'openai',
        local: true,
        secrets: ['api_key', 'headers.X-Team'],
        used_by: [],
      },
    });
    const alias = { name: 'fast', targets: ['extra:good'], fallbacks: ['main:good'] };
    expect((await one.ask('POST', '/v1/aliases', alias)).body).toMatchObject({
      status: 'active',
      problem: null,
    });
    expect(await one.chat('fast', key)).toBe(200);
    expect((await openai.last()).headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'x-team': SECRET,
    });
    await two.comesTo(200, 'fast', key);
    expect((await two.ask('GET', '/v1/models', undefined, key)).text).toContain('"extra:good"');
    // A change by the other gateway also arrives; its secrets need not be sent again.
    expect(
      (await two.ask('PATCH', '/v1/aliases/fast', { targets: ['extra:fails-400'], fallbacks: null })).status,
    ).toBe(200);
    expect(
      (await two.ask('PATCH', '/v1/providers/extra', { models: null, max_connections: 5 })).body,
    ).toMatchObject({
      settings: { max_connections: 5 },
      secrets: ['api_key', 'headers.X-Team'],
    });
    await one.comesTo(400, 'fast', key);
    expect((await openai.last()).headers['authorization']).toBe(`Bearer ${SECRET}`);
    await one.stop();
    await two.stop();
    const three = await start(url, { config: CONFIG });
    expect(await three.chat('extra:good', key)).toBe(200);

    const lists = await Promise.all(
      ['/v1/providers', '/v1/aliases', '/v1/admin/audit?limit=100'].map((path) => three.ask('GET', path)),
    );
    expect(lists[0]?.body).toMatchObject([
      { name: 'extra', used_by: ['fast'] },
      { name: 'main', source: 'file', used_by: ['old'] },
    ]);
    expect(lists[1]?.body).toMatchObject([
      { name: 'fast', targets: [{ model: 'extra:fails-400', weight: 1 }] },
      { name: 'old' },
    ]);
    const actions = ['provider.create', 'alias.create', 'alias.update', 'provider.update'];
    for (const action of actions) expect(lists[2]?.text).toContain(action);
    const shown = [...lists.map((answer) => answer.text), three.log()].join('\n');
    expect(shown).not.toMatch(/sk-canary|sk-of-the-file/);
    const { db } = await database.openStore(url);
    const rows = await db.selectFrom('gateway_providers').selectAll().execute();
    expect(
      rows
        .map(({ secrets, ...row }) => JSON.stringify(row) + Buffer.from(secrets ?? '').toString('latin1'))
        .join(),
    ).not.toContain('canary');

    expect(await three.ask('DELETE', '/v1/providers/extra')).toMatchObject({
      status: 409,
      body: {
        error: {
          message: "Provider 'extra' is used by the alias fast. Change or delete it first.",
          code: 'provider_in_use',
        },
      },
    });
    expect((await three.ask('DELETE', '/v1/aliases/fast')).status).toBe(204);
    expect((await three.ask('DELETE', '/v1/providers/EXTRA')).status).toBe(204);
    expect([await three.chat('extra:good', key), await three.chat('fast', key)]).toEqual([400, 400]);
    expect((await three.ask('GET', '/v1/providers/extra')).status).toBe(404);
  });

  test('only one of many concurrent requests to create the same name succeeds', async () => {
    const url = await database.create();
    const gateways = [await start(url, { config: CONFIG }), await start(url, { config: CONFIG })];
    const asked = Array.from({ length: 12 }, async (_, index) => {
      const answer = await gateways[index % 2]?.ask(
        'POST',
        '/v1/providers',
        own('same', { models: [`m${index}`] }),
      );
      return answer?.status;
    });
    expect((await Promise.all(asked)).toSorted((a = 0, b = 0) => a - b)).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 409),
    ]);
    // An alias for a provider that is deleted concurrently: one of the two requests is rejected.
    const statuses = await Promise.all([
      gateways[0]?.ask('POST', '/v1/aliases', { name: 'a', targets: ['same:x'] }),
      gateways[1]?.ask('DELETE', '/v1/providers/same'),
    ]);
    expect([
      [200, 409],
      [422, 204],
    ]).toContainEqual(statuses.map((answer) => answer?.status));
  });
});

describeDatabases((database) => {
  test('keys of a stored provider can be changed one by one, but are not sent to another address', async () => {
    const url = await database.create();
    const gateway = await start(url, { config: CONFIG });
    const key = await newKey(gateway);
    const { api_key: _, ...entry } = own('pool') as Record<string, unknown>;
    const [one, two] = [`${SECRET}-one`, `${SECRET}-two`];
    const keys = { one: { api_key: one }, two: { api_key: two, weight: 0 } };
    const made = await gateway.ask('POST', '/v1/providers', { ...entry, keys, models: ['good'] });
    expect(made).toMatchObject({
      status: 200,
      body: {
        status: 'active',
        secrets: ['keys.one.api_key', 'keys.two.api_key'],
        settings: { keys: { one: {}, two: { weight: 0 } } },
      },
    });
    expect(await gateway.chat('pool:good', key)).toBe(200);
    // `two` keeps its secret.
    const next = { keys: { two: { weight: 2 }, three: { api_key: `${SECRET}-three` } } };
    const changed = await gateway.ask('PATCH', '/v1/providers/pool', next);
    expect(changed).toMatchObject({
      status: 200,
      body: { status: 'active', secrets: ['keys.two.api_key', 'keys.three.api_key'] },
    });
    expect(await gateway.chat('pool:good', key)).toBe(200);
    const moved = await gateway.ask('PATCH', '/v1/providers/pool', {
      api_base: 'http://127.0.0.1:1/v1',
      keys: { two: {} },
    });
    expect(moved).toMatchObject({ status: 422 });
    expect(moved.text).toContain('requires `api_key`');
    const written = await gateway.ask('PATCH', '/v1/providers/pool', { keys: { two: one } });
    expect(written.status).toBe(422);
    // As for all bodies, the error of an invalid value repeats it to its sender; it is not logged.
    for (const { text } of [made, changed, moved]) expect(text).not.toContain(SECRET);
    expect(gateway.log()).not.toContain(SECRET);
  });
});
