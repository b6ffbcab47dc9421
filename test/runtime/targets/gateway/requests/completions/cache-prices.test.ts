import { expect, onTestFinished, test } from 'vitest';
import { nanosOf } from '#gateway/shared/money.ts';
import type { NewPrice } from '#gateway/accounts/ledger/ledger.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startHeld } from '../../held-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { instanceOf, runGateway } from './running-gateway.ts';

const openai = await startFixture('openai');
const anthropic = await startFixture('anthropic');
const gemini = await startFixture('gemini');
const held = await startHeld();
const usd = (text: string): bigint => nanosOf(text) ?? -1n;

const messages = [{ role: 'user', content: 'Hello' }];
const WIRES: readonly [path: string, body: (stream: boolean) => unknown][] = [
  [CHAT, (stream) => chatBody('anthropic:good', { stream })],
  ['/v1/messages', (stream) => ({ model: 'anthropic:good', max_tokens: 100, messages, stream })],
  ['/v1/responses', (stream) => ({ model: 'anthropic:good', input: 'Hello', stream })],
];

/** A model at $3 and $15, with Anthropic's factors for reads (0.1), writes (1.25) and writes for 1 hour (2). */
const RATES = {
  input: usd('3'),
  output: usd('15'),
  cachedInput: usd('0.3'),
  cacheWrite: usd('3.75'),
  cacheWrite1h: usd('6'),
};
const LONG = {
  input: usd('6'),
  output: usd('22.5'),
  cachedInput: usd('0.6'),
  cacheWrite: usd('7.5'),
  cacheWrite1h: usd('12'),
};

async function start(price: Omit<NewPrice, 'modelKey'>) {
  const gateway = await runGateway({
    models: {
      providers: [
        instanceOf('anthropic', anthropic),
        { name: 'held', type: 'openai', baseUrl: held.url, local: true },
      ],
      pricing: ['anthropic:good', 'held:any'].map((modelKey) => ({ modelKey, ...price })),
    },
  });
  onTestFinished(() => gateway.stop());
  await gateway.user('ann');
  return { gateway, secret: await gateway.key({ user_id: 'ann' }) };
}

// The fixture counts 11 uncached tokens, 8 read, 4 written for 5 minutes, 2 written for 1 hour, and 15 output tokens.
test.each([
  ['cache prices', RATES, 0.0002874],
  [
    'a tier that the prompt of 25 tokens exceeds',
    { ...RATES, tiers: [{ aboveTokens: 24, ...LONG }] },
    0.0004623,
  ],
  ['a tier that the prompt does not exceed', { ...RATES, tiers: [{ aboveTokens: 25, ...LONG }] }, 0.0002874],
  ['no cache prices', { ...RATES, cachedInput: null, cacheWrite: null, cacheWrite1h: null }, 0.0003],
])('costs are the same on every protocol: %s', async (_what, price, cost) => {
  const { gateway, secret } = await start(price);
  for (const [path, body] of WIRES) {
    for (const stream of [false, true]) {
      const answer = await gateway.post(path, body(stream), secret);
      expect(answer.status).toBe(200);
      await answer.text();
    }
  }
  const rows = await gateway.usage('ann');
  expect(rows).toHaveLength(6);
  for (const row of rows) {
    expect(row).toMatchObject({
      prompt_tokens: 25,
      completion_tokens: 15,
      cached_tokens: 8,
      cache_write_tokens: 6,
      cache_write_1h_tokens: 2,
      cost,
    });
  }
  expect(await gateway.admin('GET', '/v1/usage')).toMatchObject({
    totals: { cached_tokens: 48, cache_write_tokens: 36, cache_write_1h_tokens: 12 },
  });
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain('gateway_cache_write_tokens_total{provider="anthropic",model="good"} 36\n');
});

// What the fixtures report, calculated by hand: millionths of a dollar for each price of a million tokens.
const PROVIDERS = [
  {
    // 17 uncached tokens, 4 read, 9 output tokens.
    name: 'openai',
    fixture: openai,
    price: { input: usd('1.25'), output: usd('10'), cachedInput: usd('0.125') },
    counts: { prompt_tokens: 21, cached_tokens: 4, cache_write_tokens: 0, completion_tokens: 9 },
    cost: 17 * 1.25 + 4 * 0.125 + 9 * 10,
    saved: 4 * (1.25 - 0.125),
  },
  {
    // 11 uncached tokens, 8 read, 4 written for 5 minutes, 2 written for 1 hour, 15 output tokens.
    name: 'anthropic',
    fixture: anthropic,
    price: RATES,
    counts: { prompt_tokens: 25, cached_tokens: 8, cache_write_tokens: 6, completion_tokens: 15 },
    cost: 11 * 3 + 8 * 0.3 + 4 * 3.75 + 2 * 6 + 15 * 15,
    saved: 8 * (3 - 0.3) + 4 * (3 - 3.75) + 2 * (3 - 6),
  },
  {
    // 12 uncached tokens, 5 read, 9 output tokens and 3 of thoughts.
    name: 'gemini',
    fixture: gemini,
    price: { input: usd('0.3'), output: usd('2.5'), cachedInput: usd('0.03') },
    counts: { prompt_tokens: 17, cached_tokens: 5, cache_write_tokens: 0, completion_tokens: 12 },
    cost: 12 * 0.3 + 5 * 0.03 + 12 * 2.5,
    saved: 5 * (0.3 - 0.03),
  },
] as const;

test('reads and writes of the caches of OpenAI, Anthropic and Gemini are in the usage of each model', async () => {
  const gateway = await runGateway({
    models: {
      providers: PROVIDERS.map(({ name, fixture }) => instanceOf(name, fixture)),
      pricing: PROVIDERS.map(({ name, price }) => ({ modelKey: `${name}:good`, ...price })),
    },
  });
  onTestFinished(() => gateway.stop());
  await gateway.user('ann');
  const secret = await gateway.key({ user_id: 'ann' });
  for (const { name } of PROVIDERS) {
    const answer = await gateway.post(CHAT, chatBody(`${name}:good`), secret);
    expect(answer.status).toBe(200);
    await answer.text();
  }
  const expected = PROVIDERS.map(({ name, counts, cost, saved }) => [
    `${name}:good`,
    { ...counts, cost: expect.closeTo(cost / 1e6, 12), cache_saved: expect.closeTo(saved / 1e6, 12) },
  ]);
  const totals = await gateway.admin('GET', '/v1/usage?group_by=model');
  const groups = totals['groups'] as readonly { readonly group: { readonly model: string } }[];
  expect(Object.fromEntries(groups.map((one) => [one.group.model, one]))).toMatchObject(
    Object.fromEntries(expected),
  );
  for (const query of ['', '&time_zone=Asia/Kolkata', '&user_id=ann&interval=week']) {
    const spending = await gateway.admin('GET', `/v1/usage/spending?group_by=model${query}`);
    const found = spending['groups'] as readonly { readonly group: string; readonly totals: object }[];
    expect(Object.fromEntries(found.map((one) => [one.group, one.totals]))).toMatchObject(
      Object.fromEntries(expected),
    );
  }
});

test('a reservation includes the prompt at the highest price that can apply', async () => {
  const { gateway, secret } = await start({ ...RATES, tiers: [{ aboveTokens: 1, ...LONG }] });
  const client = new AbortController();
  onTestFinished(() => client.abort());
  const { signal } = client;
  const answer = gateway.post(CHAT, chatBody('held:any', { max_tokens: 10 }), secret, { signal });
  void answer.catch(() => undefined);
  (await held.next()).writeHead(200, { 'content-type': 'application/json' });
  // 9 tokens of "Hello" in its message format as 1-hour writes, and 10 output tokens: 9 x 12 + 10 x 22.5 millionths
  // of a dollar.
  expect(await gateway.admin('GET', '/v1/users/ann')).toMatchObject({ reserved: 0.000333 });
});
