import { afterAll, expect, test } from 'vitest';
import { CHAT, chat, member, startCached } from './cache-gateway.ts';

const { ask, calls, fixtures, start } = await startCached();

const shared = start({ scope: 'shared' });
afterAll(async () => {
  await (await shared).stop();
});
let asked = 0;
/** Returns a request that was never sent before. */
const fresh = (more: Record<string, unknown> = {}) =>
  chat({ messages: [{ role: 'user', content: `Number ${(asked += 1)}` }], ...more });

const secretOf = async (user = `u${Math.random()}`) => await member(await shared, user);

test('fields that affect the response change the cache key, and fields that identify the client do not', async () => {
  const [gateway, secret] = [await shared, await secretOf()];
  const body = fresh();
  await ask(gateway, secret, CHAT, body);
  const { messages } = body;
  for (const other of [
    { model: 'openai:tools' },
    { model: 'both' },
    { temperature: 0 },
    { max_tokens: 5 },
    { stream: true },
    { stream: true, stream_options: { include_usage: true } },
    { seed: 1 },
    { messages: [{ role: 'system', content: 'Be kind.' }, ...messages] },
    { response_format: { type: 'text' } },
  ])
    expect([other, (await ask(gateway, secret, CHAT, { ...body, ...other })).cache]).toEqual([other, 'miss']);
  for (const same of [
    { stream: false },
    { metadata: { trace: '1' } },
    { safety_identifier: 'x' },
    { prompt_cache_key: 'k' },
  ])
    expect([same, (await ask(gateway, secret, CHAT, { ...same, ...body })).cache]).toEqual([same, 'hit']);
  // An alias has one cached response, whichever target produced it.
  expect((await ask(gateway, secret, CHAT, { ...body, model: 'both' })).cache).toBe('hit');
});

test('errors, tool calls, broken streams and fallback responses are not cached', async () => {
  const [gateway, secret] = [await shared, await secretOf()];
  const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
  for (const body of [
    fresh({ tools: [tool] }),
    fresh({ tools: [tool], stream: true }),
    fresh({ model: 'rescued' }),
    fresh({ model: 'openai:ends-early', stream: true }),
  ]) {
    await ask(gateway, secret, CHAT, body);
    expect([body, (await ask(gateway, secret, CHAT, body)).cache]).toEqual([body, 'miss']);
  }
  const failing = fresh({ model: 'openai:fails-500' });
  for (let time = 0; time < 2; time += 1) {
    const answer = await gateway.post(CHAT, failing, secret);
    expect([answer.status, answer.headers.get('x-cache')]).toEqual([502, 'miss']);
  }
  for (const body of [
    fresh({ temperature: 0.7 }),
    fresh({ web_search_options: {} }),
    fresh({ model: 'openai:talks', tools: [{ type: 'web_search' }] }),
  ])
    expect([body, (await gateway.post(CHAT, body, secret)).headers.get('x-cache')]).toEqual([body, 'bypass']);
});

test('the cache-control header is respected', async () => {
  const [gateway, secret] = [await shared, await secretOf()];
  const body = fresh();
  const with_ = async (control: string) => {
    const { cache, calls: called } = await ask(gateway, secret, CHAT, body, { 'cache-control': control });
    return `${cache} ${called}`;
  };
  expect(await with_('no-store')).toBe('miss 1');
  expect(await with_('private, No-Store')).toBe('miss 1');
  expect(await with_('no-cache')).toBe('bypass 1');
  expect(await with_('max-age=0')).toBe('bypass 1');
  expect(await with_('max-age=60')).toBe('hit 0');
  expect(await with_('no-store')).toBe('hit 0');
});

test('identical concurrent requests result in one call', async () => {
  const [gateway, secret] = [await shared, await secretOf()];
  const body = fresh({ model: 'openai:silent@once' });
  const before = await calls();
  const asking = Array.from({ length: 5 }, () => gateway.post(CHAT, body, secret));
  await fixtures.openai.happened('waiting', 'silent@once');
  // All others have arrived once one more request has been answered.
  await ask(gateway, secret, CHAT, fresh());
  await fixtures.openai.release();
  const answers = await Promise.all(asking);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.map(({ headers }) => String(headers.get('x-cache'))).sort()).toEqual([
    'hit',
    'hit',
    'hit',
    'hit',
    'miss',
  ]);
  expect((await calls()) - before).toBe(2);
});

test('a cached response is served even if the budget is exhausted, but not above the rate limit', async () => {
  const [gateway, secret] = [await shared, await secretOf()];
  const body = fresh();
  await ask(gateway, secret, CHAT, body);
  await gateway.user('poor');
  const poor = await gateway.key({ user_id: 'poor', budget: { max_budget: 0 }, rpm: 2 });
  expect((await gateway.post(CHAT, fresh(), poor)).status).toBe(403);
  expect((await ask(gateway, poor, CHAT, body)).cache).toBe('hit');
  const statuses = [await gateway.post(CHAT, body, poor), await gateway.post(CHAT, body, poor)];
  expect(statuses.map(({ status }) => status)).toContain(429);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toMatch(/gateway_cache_hits_total\{kind="exact"\} \d+/);
});

test('embeddings, classifications and rerankings are also cached', async () => {
  const [gateway, secret] = [await shared, await secretOf('vectors')];
  const documents = ['a', 'bb'];
  for (const [path, body] of [
    ['/v1/embeddings', { model: 'openai:good', input: ['abc'] }],
    ['/v1beta/models/openai:good:embedContent', { content: { parts: [{ text: 'abc' }] } }],
    ['/v1/moderations', { model: 'openai:good', input: 'abc' }],
    ['/v1/rerank', { model: 'openai:good', query: 'a', documents }],
  ] as const) {
    const [first, second] = [await ask(gateway, secret, path, body), await ask(gateway, secret, path, body)];
    expect([path, first.cache, second.cache, second.text]).toEqual([path, 'miss', 'hit', first.text]);
  }
  const hits = (await gateway.usage('vectors')).filter((row) => row['cache_hit'] === 'exact');
  expect(hits.map(({ cost }) => cost)).toEqual([0, 0, 0, 0]);
});

test('tool calls are cached only if configured, for every API', async () => {
  const [gateway, secret] = [await shared, await secretOf()];
  const keeping = await start({ scope: 'shared', toolCalls: true });
  const other = await member(keeping, 'ann');
  const weather = { name: 'weather', parameters: { type: 'object' } };
  const prompt = [{ role: 'user', content: 'Weather?' }];
  const schema = { name: 'weather', input_schema: { type: 'object' } };
  for (const stream of [false, true]) {
    const route = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    for (const [path, body] of [
      [
        CHAT,
        { model: 'openai:good', messages: prompt, tools: [{ type: 'function', function: weather }], stream },
      ],
      ['/v1/messages', { model: 'anthropic:good', messages: prompt, max_tokens: 9, tools: [schema], stream }],
      [
        '/v1/responses',
        { model: 'openai:good', input: 'Weather?', tools: [{ type: 'function', ...weather }], stream },
      ],
      [
        `/v1beta/models/gemini:good:${route}`,
        {
          contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
          tools: [{ functionDeclarations: [weather] }],
        },
      ],
    ] as const) {
      const twice = async (asked: typeof gateway, key: string) => {
        await ask(asked, key, path, body);
        return (await ask(asked, key, path, body)).cache;
      };
      expect([path, await twice(gateway, secret), await twice(keeping, other)]).toEqual([
        path,
        'miss',
        'hit',
      ]);
    }
  }
  await keeping.stop();
});
