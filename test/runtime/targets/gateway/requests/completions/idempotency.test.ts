import { afterEach, expect, test } from 'vitest';
import { IDEMPOTENCY_DEFAULTS } from '#gateway/accounts/idempotency/idempotency-settings.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { describeDatabases, type TestDatabase } from '../../databases.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { instanceOf, MASTER, priced, runGateway, type RunningTestGateway } from './running-gateway.ts';

const openai = await startFixture('openai');
const MODELS: Partial<ModelsConfig> = {
  providers: [instanceOf('openai', openai, { dialect: { hasResponses: true } })],
  pricing: [priced('openai:good', 10, 30), priced('openai:silent', 10, 30), priced('openai:stall', 10, 30)],
};

const namesOf = (action: 'mask' | 'block') => ({
  name: 'names',
  kind: 'patterns' as const,
  action,
  patterns: new Map([['NAME', compileLinearPattern('Anna')]]),
});

/** The response to one of several identical requests. */
interface Seen {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

const read = async (response: Response): Promise<Seen> => ({
  status: response.status,
  text: await response.text(),
  isReplayed: response.headers.get('idempotent-replayed') === 'true',
});

const withKey = (key: string, headers: Record<string, string> = {}): RequestInit => ({
  headers: { 'idempotency-key': key, ...headers },
});

const running: RunningTestGateway[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

describeDatabases((database) => {
  const start = async (url: string, models: Partial<ModelsConfig> = {}): Promise<RunningTestGateway> => {
    const gateway = await runGateway({
      models: { ...MODELS, ...models },
      config: { database: parseDatabaseUrl(url) },
    });
    running.push(gateway);
    return gateway;
  };
  const startNew = async (from: TestDatabase, models: Partial<ModelsConfig> = {}) =>
    await start(await from.create(), models);

  test('a repeated request gets the same response and is billed once, also after a restart', async () => {
    const url = await database.create();
    const before = await start(url);
    const secret = await before.key({ user_id: 'ann' });
    const ask = async () =>
      await read(await before.post(CHAT, chatBody('openai:good'), secret, withKey('a')));
    const first = await ask();
    expect(first).toMatchObject({ status: 200, isReplayed: false });
    expect(await ask()).toEqual({ ...first, isReplayed: true });
    await before.stop();
    running.splice(0);
    const gateway = await start(url);
    const again = await gateway.post(CHAT, chatBody('openai:good'), secret, withKey('"a"'));
    expect(again.headers.get('content-type')).toBe('application/json');
    expect(await read(again)).toEqual({ ...first, isReplayed: true });
    expect(await gateway.usage('ann')).toHaveLength(1);
    expect(await gateway.admin('GET', '/v1/users/ann')).toMatchObject({ reserved: 0 });
  });

  test('a stream is repeated completely', async () => {
    const gateway = await startNew(database);
    const secret = await gateway.key({ user_id: 'ann' });
    const body = chatBody('openai:good', { stream: true });
    const first = await gateway.post(CHAT, body, secret, withKey('a'));
    const again = await read(await gateway.post(CHAT, body, secret, withKey('a')));
    expect(first.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(again).toEqual({ ...(await read(first)), isReplayed: true });
    expect(again.text).toMatch(/\[DONE\]\s*$/);
    expect(await gateway.usage('ann')).toHaveLength(1);
  });

  test(
    '1,000 parallel requests with one key, at two gateways, are billed once',
    { timeout: 300_000 },
    async () => {
      const url = await database.create();
      const one = await start(url);
      const two = await start(url);
      const secret = await one.key({ user_id: 'ann' });
      const before = (await openai.counts())['requests'] ?? 0;
      const seen = await Promise.all(
        Array.from(
          { length: 1000 },
          async (_, index) =>
            await read(
              await (index % 2 === 0 ? one : two).post(CHAT, chatBody('openai:good'), secret, withKey('a')),
            ),
        ),
      );
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(seen.map(({ text }) => text)).size).toBe(1);
      expect(seen.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
      expect((await openai.counts())['requests']).toBe(before + 1);
      expect(await one.usage('ann')).toHaveLength(1);
    },
  );

  test('a request waits for the one that is running, also at another gateway', async () => {
    const url = await database.create();
    const one = await start(url);
    const two = await start(url);
    const secret = await one.key({ user_id: 'ann' });
    const model = `openai:silent@${database.kind}`;
    const first = one.post(CHAT, chatBody(model), secret, withKey('a'));
    await openai.happened('waiting', `silent@${database.kind}`);
    const others = [one, two].map((gateway) => gateway.post(CHAT, chatBody(model), secret, withKey('a')));
    await openai.release();
    const [own, ...repeated] = await Promise.all(
      [first, ...others].map(async (response) => await read(await response)),
    );
    for (const other of repeated) expect(other).toEqual({ ...own, isReplayed: true });
    expect(await one.usage('ann')).toHaveLength(1);
  });

  test('a client that disconnects gets the response when it asks again', async () => {
    const gateway = await startNew(database);
    const secret = await gateway.key({ user_id: 'ann' });
    for (const [name, body] of [
      ['silent', {}],
      ['stall', { stream: true }],
    ] as const) {
      const model = `${name}@left-${database.kind}`;
      const leaving = new AbortController();
      const ask = chatBody(`openai:${model}`, body);
      const left = gateway.post(CHAT, ask, secret, { ...withKey(name), signal: leaving.signal });
      await openai.happened('waiting', model);
      leaving.abort();
      await expect(left.then((response) => response.text())).rejects.toThrow('abort');
      const again = gateway.post(CHAT, ask, secret, withKey(name));
      await openai.release();
      expect(await read(await again)).toMatchObject({ status: 200, isReplayed: true });
    }
    expect((await gateway.usage('ann')).map(({ status }) => status)).toEqual(['success', 'success']);
  });

  test('another request with the same key is rejected', async () => {
    const gateway = await startNew(database);
    const secret = await gateway.key({ user_id: 'ann' });
    await gateway.post(CHAT, chatBody('openai:good'), secret, withKey('a'));
    const other = await gateway.post(CHAT, chatBody('openai:good', { max_tokens: 7 }), secret, withKey('a'));
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({
      detail:
        'This Idempotency-Key was already used for a different request. Use a new key for each request.',
    });
    const path = await gateway.post('/v1/messages', chatBody('openai:good'), secret, withKey('a'));
    expect(path.status).toBe(422);
    for (const key of ['', 'a b', 'x'.repeat(256), 'ä'])
      expect((await gateway.post(CHAT, chatBody('openai:good'), secret, withKey(key))).status).toBe(400);
    expect(await gateway.usage('ann')).toHaveLength(1);
  });

  test('keys of other callers are separate, and other callers get nothing', async () => {
    const gateway = await startNew(database);
    const [ann, annToo, bob] = [
      await gateway.key({ user_id: 'ann' }),
      await gateway.key({ user_id: 'ann' }),
      await gateway.key({ user_id: 'bob' }),
    ];
    for (const secret of [ann, annToo, bob]) {
      const answer = await gateway.post(CHAT, chatBody('openai:good'), secret, withKey('a'));
      expect(await read(answer)).toMatchObject({ status: 200, isReplayed: false });
    }
    expect(await gateway.usage('ann')).toHaveLength(2);
    expect(await gateway.usage('bob')).toHaveLength(1);
  });

  test('a request that was not billed runs again', async () => {
    const gateway = await startNew(database);
    const { id, key } = await gateway.admin('POST', '/v1/keys', {
      user_id: 'ann',
      budget: { max_budget: 0 },
    });
    const secret = String(key);
    const ask = async (body: object) => await read(await gateway.post(CHAT, body, secret, withKey('a')));
    expect(await ask(chatBody('openai:good'))).toMatchObject({ status: 403, isReplayed: false });
    await gateway.admin('PATCH', `/v1/keys/${String(id)}`, { budget: null });
    expect(await ask(chatBody('openai:good'))).toMatchObject({ status: 200, isReplayed: false });
    const failing = async () =>
      await read(await gateway.post(CHAT, chatBody('openai:fails-500'), secret, withKey('b')));
    expect([await failing(), await failing()]).toMatchObject([
      { status: 502, isReplayed: false },
      { status: 502, isReplayed: false },
    ]);
  });

  test('a response that must not be stored is not sent again, and the request does not run again', async () => {
    const gateway = await startNew(database, {
      idempotency: { ...IDEMPOTENCY_DEFAULTS, maxResponseBytes: 1000 },
      guardrails: {
        profiles: [namesOf('mask')],
        demanded: [{ profile: 'names', mode: 'block', onUnavailable: 'block', on: ['input'] }],
      },
    });
    const [secret, unlogged] = [
      await gateway.key({ user_id: 'ann' }),
      await gateway.key({ user_id: 'ann', log_prompts: false }),
    ];
    const cases = [
      [unlogged, {}, {}, 'the key’s settings forbid storing it'],
      [secret, {}, { 'cache-control': 'no-store' }, 'the request forbids storing it'],
      [
        secret,
        { messages: [{ role: 'user', content: 'x'.repeat(2000) }] },
        {},
        'it is larger than 1000 bytes',
      ],
      [
        secret,
        { messages: [{ role: 'user', content: 'I am Anna' }] },
        {},
        'it contains values that guardrails mask',
      ],
    ] as const;
    for (const [index, [own, body, headers, reason]] of cases.entries()) {
      const ask = async () =>
        await read(
          await gateway.post(CHAT, chatBody('openai:good', body), own, withKey(`k${index}`, headers)),
        );
      expect(await ask()).toMatchObject({ status: 200 });
      const again = await ask();
      expect([again.status, JSON.parse(again.text).detail]).toEqual([409, expect.stringContaining(reason)]);
    }
    expect(await gateway.usage('ann')).toHaveLength(cases.length);
  });

  test('a failure that was billed is repeated', async () => {
    const gateway = await startNew(database, {
      guardrails: {
        profiles: [namesOf('block')],
        demanded: [{ profile: 'names', mode: 'block', onUnavailable: 'block', on: ['output'] }],
      },
    });
    const secret = await gateway.key({ user_id: 'ann' });
    const body = chatBody('openai:good', { messages: [{ role: 'user', content: 'I am Anna' }] });
    const ask = async () => await read(await gateway.post(CHAT, body, secret, withKey('a')));
    const first = await ask();
    expect(first.status).toBeGreaterThan(399);
    expect(await ask()).toEqual({ ...first, isReplayed: true });
    expect(await gateway.usage('ann')).toHaveLength(1);
  });

  test('a form is compared without its boundary', async () => {
    const gateway = await startNew(database);
    const secret = await gateway.key({ user_id: 'ann' });
    const ask = async (text: string) => {
      const form = new FormData();
      form.set('model', 'openai:good');
      form.set('file', new Blob([text]), 'speech.wav');
      const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'idempotency-key': 'a' },
        body: form,
      });
      return await read(response);
    };
    const first = await ask('RIFF');
    expect(first.status).toBe(200);
    expect(await ask('RIFF')).toEqual({ ...first, isReplayed: true });
    expect(await ask('RIFX')).toMatchObject({ status: 422 });
    expect(await gateway.usage('ann')).toHaveLength(1);
  });

  test('objects are created once, and their secret is only stored encrypted', async () => {
    const url = await database.create();
    const gateway = await start(url);
    const { openStore } = database;
    const create = async (key: string) =>
      await read(await gateway.post('/v1/keys', { user_id: 'ann' }, MASTER, withKey(key)));
    const [first, again] = [await create('a'), await create('a')];
    expect(again).toEqual({ ...first, isReplayed: true });
    const { key } = JSON.parse(first.text) as { key: string };
    const store = await openStore(url);
    const [row] = await store.db.selectFrom('gateway_idempotency').selectAll().execute();
    expect(
      JSON.stringify({ ...row, sealed: Buffer.from(row?.sealed ?? []).toString('latin1') }),
    ).not.toContain(key.slice(0, 12));
    expect((await store.db.selectFrom('gateway_keys').select('id').execute()).length).toBe(1);
    const failed = async () =>
      await read(await gateway.post('/v1/users', { user_id: 'ann' }, MASTER, withKey('b')));
    expect([await failed(), await failed()]).toMatchObject([
      { status: 409, isReplayed: false },
      { status: 409, isReplayed: false },
    ]);
  });

  test('deleting a user deletes its stored responses', async () => {
    const url = await database.create();
    const gateway = await start(url);
    const secret = await gateway.key({ user_id: 'ann' });
    await gateway.key({ user_id: 'bob' });
    const store = await database.openStore(url);
    const count = async () =>
      (await store.db.selectFrom('gateway_idempotency').select(['owner_id']).execute()).length;
    // A request without a key writes nothing.
    await gateway.post(CHAT, chatBody('openai:good'), secret);
    expect(await count()).toBe(0);
    await gateway.post(CHAT, chatBody('openai:good'), secret, withKey('a'));
    // The user of a request with the master key is known from its body.
    await gateway.post(CHAT, chatBody('openai:good', { user: 'ann' }), MASTER, withKey('a'));
    await gateway.post(CHAT, chatBody('openai:good', { user: 'bob' }), MASTER, withKey('b'));
    expect(await count()).toBe(3);
    await gateway.admin('DELETE', '/v1/users/ann');
    expect(await count()).toBe(1);
  });
});
