import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import { type FixtureWire, startFixture } from '../../fixture-provider.ts';
import { startHeld } from '../../held-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { USAGE } from '../../three-providers.ts';
import { CHAT } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway, type RunningTestGateway } from './running-gateway.ts';

const [openai, anthropic, gemini] = await Promise.all([
  startFixture('openai'),
  startFixture('anthropic'),
  startFixture('gemini'),
]);
const held = await startHeld();
const fixtures = { openai, anthropic, gemini };
const TYPES: readonly FixtureWire[] = ['openai', 'anthropic', 'gemini'];
const [SILENT, STALLED] = ['silent', 'stall-first'];
const LIMITS = { name: 'impatient', limits: { firstByteMs: 100, answerMs: 100 } };

async function start(models: Partial<ModelsConfig> = {}) {
  const prices = [...TYPES, 'impatient', 'brief', 'held', 'encoder'].flatMap((name) =>
    [SILENT, STALLED, `${SILENT}@left`, `${STALLED}@left`, 'good', 'any', 'held'].map((model) =>
      priced(`${name}:${model}`, 10, 30),
    ),
  );
  const gateway = await runGateway({
    models: {
      providers: [
        ...TYPES.map((type) => instanceOf(type, fixtures[type])),
        instanceOf('openai', openai, LIMITS),
        instanceOf('openai', openai, { name: 'brief', limits: { drainMs: 50 } }),
        { name: 'held', type: 'openai', baseUrl: held.url, local: true },
        { name: 'held', type: 'encoder', baseUrl: held.url, local: true },
      ],
      aliases: [
        { name: 'both', targets: [{ model: 'impatient:stall-first' }], fallbacks: ['anthropic:good'] },
      ],
      pricing: prices,
      ...models,
    },
  });
  onTestFinished(() => gateway.stop());
  await gateway.user('ann');
  return { gateway, secret: await gateway.key({ user_id: 'ann' }) };
}

const costOf = ({ promptTokens, completionTokens }: (typeof USAGE)[FixtureWire]): number =>
  (promptTokens * 10 + completionTokens * 30) / 1e6;

/** Sends a request and disconnects when `hasArrived` resolves; resolves when the gateway has noticed. */
async function leave(
  { gateway, secret }: { readonly gateway: RunningTestGateway; readonly secret: string },
  path: string,
  body: unknown,
  hasArrived: () => Promise<unknown>,
): Promise<void> {
  const noticed = () => gateway.logged.filter((line) => line.includes('"status":499')).length;
  const before = noticed();
  const client = new AbortController();
  const answer = gateway.post(path, body, secret, { signal: client.signal });
  await hasArrived();
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await expect.poll(noticed, { timeout: 10_000 }).toBeGreaterThan(before);
}

/** The user's usage rows, once there are this many. */
async function rowsOf(gateway: RunningTestGateway, count: number) {
  await expect.poll(() => gateway.usage('ann'), { timeout: 10_000 }).toHaveLength(count);
  await expect.poll(() => gateway.admin('GET', '/v1/users/ann')).toMatchObject({ reserved: 0 });
  return await gateway.usage('ann');
}

const message = [{ role: 'user', content: 'Hello' }];
const WIRES = {
  [CHAT]: (model: string, stream: boolean) => chatBody(model, { stream }),
  '/v1/messages': (model: string, stream: boolean) => ({ model, stream, max_tokens: 99, messages: message }),
  '/v1/responses': (model: string, stream: boolean) => ({ model, stream, input: 'Hello' }),
};

test.each(
  Object.keys(WIRES).flatMap((path) =>
    TYPES.flatMap((type) => [false, true].map((stream) => ({ path, type, stream }))),
  ),
)(
  '$path of $type, stream: $stream: a client that disconnects before the first byte is charged for the actual usage',
  async ({ path, type, stream }) => {
    const running = await start();
    const model = stream ? STALLED : SILENT;
    const body = WIRES[path as keyof typeof WIRES](`${type}:${model}`, stream);
    await leave(running, path, body, () => fixtures[type].happened('waiting', model));
    const { gateway } = running;
    expect(await gateway.usage('ann')).toEqual([]);
    const before = await gateway.admin('GET', '/v1/users/ann');
    expect(before['reserved']).toBeGreaterThan(0);
    await fixtures[type].release();
    expect((await fixtures[type].happened('closed', model)).complete).toBe(true);
    const [row] = await rowsOf(gateway, 1);
    const { promptTokens, completionTokens } = USAGE[type];
    expect(row).toMatchObject({
      model: `${type}:${model}`,
      endpoint: path,
      status: 'cancelled',
      status_code: 499,
      usage_estimated: false,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      cost: costOf(USAGE[type]),
    });
  },
);

test('all 50 requests with disconnected clients are billed, and count toward max_parallel until their responses are read', async () => {
  const { gateway } = await start();
  const secret = await gateway.key({ user_id: 'ann', max_parallel: 50 });
  const running = { gateway, secret };
  for (let count = 0; count < 50; count += 1) {
    await leave(running, CHAT, chatBody('openai:silent'), () => openai.happened('waiting', SILENT));
  }
  expect((await gateway.post(CHAT, chatBody('openai:good'), secret)).status).toBe(429);
  await openai.release();
  const rows = await rowsOf(gateway, 50);
  expect(rows.filter(({ cost }) => cost === costOf(USAGE.openai))).toHaveLength(50);
  const { spend } = await gateway.admin('GET', '/v1/users/ann');
  expect(spend).toBeCloseTo(50 * costOf(USAGE.openai), 9);
  expect((await gateway.post(CHAT, chatBody('openai:good'), secret)).status).toBe(200);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain('gateway_abandoned_answers_total{provider="openai",outcome="read"} 50\n');
  expect(metrics).toContain('gateway_request_cost_dollars_count{provider="openai",model="silent"} 50\n');
});

test.each([
  ['/v1/embeddings', 'held:any', { data: [{ embedding: [1] }], usage: { prompt_tokens: 7 } }, 70],
  ['/v1/classify', 'encoder:held', { results: [{ top: [{ label: 'A', score: 1 }] }] }, 70],
])('%s: a client that disconnects is charged for the actual usage', async (path, model, json, micros) => {
  const running = await start();
  let response: ServerResponse | undefined;
  await leave(running, path, { model, input: 'Hello' }, async () => (response = await held.next()));
  const headers = { 'content-type': 'application/json', 'x-compute-tokens': '7' };
  response?.writeHead(200, headers).end(JSON.stringify(json));
  const [row] = await rowsOf(running.gateway, 1);
  expect(row).toMatchObject({ status_code: 499, prompt_tokens: 7, usage_estimated: false });
  expect(row?.cost).toBeCloseTo(micros / 1e6, 9);
});

test.each([false, true])(
  'a request that times out returns 504, and its actual usage is billed once the response is read (stream: %s)',
  async (stream) => {
    const { gateway, secret } = await start();
    const model = stream ? STALLED : SILENT;
    const late = await gateway.post(CHAT, chatBody(`impatient:${model}`, { stream }), secret);
    expect(late.status).toBe(504);
    expect(await gateway.usage('ann')).toEqual([]);
    await openai.happened('waiting', model);
    await openai.release();
    expect(await rowsOf(gateway, 1)).toMatchObject([
      {
        model: `impatient:${model}`,
        status: 'error',
        status_code: 504,
        usage_estimated: false,
        cost: costOf(USAGE.openai),
      },
    ]);
  },
);

test("a fallback's usage is written immediately, and the timed-out target's usage once its response is read", async () => {
  const { gateway, secret } = await start();
  const answered = await gateway.post(CHAT, chatBody('both', { stream: true }), secret);
  expect(answered.status).toBe(200);
  await answered.text();
  const own = {
    model: 'anthropic:good',
    status: 'success',
    attempt: 2,
    cost: costOf(USAGE.anthropic),
    request_id: answered.headers.get('x-request-id'),
  };
  expect(await gateway.usage('ann')).toMatchObject([own]);
  expect((await gateway.admin('GET', '/v1/users/ann'))['reserved']).toBeGreaterThan(0);
  await openai.happened('waiting', STALLED);
  await openai.release();
  const rows = await rowsOf(gateway, 2);
  expect(rows.find(({ attempt }) => attempt === 1)).toMatchObject({
    model: 'impatient:stall-first',
    status: 'error',
    error_message: 'timeout',
    cost: costOf(USAGE.openai),
    usage_estimated: false,
    request_id: own.request_id,
  });
  const { spend } = await gateway.admin('GET', '/v1/users/ann');
  expect(spend).toBeCloseTo(costOf(USAGE.openai) + costOf(USAGE.anthropic), 9);
});

test.each([false, true])(
  'after the time limit, the provider request is canceled and the estimated usage is billed (stream: %s)',
  async (stream) => {
    const running = await start();
    const model = `${stream ? STALLED : SILENT}@left`;
    const body = chatBody(`brief:${model}`, { stream, max_tokens: 100 });
    await leave(running, CHAT, body, () => openai.happened('waiting', model));
    expect((await openai.happened('closed', model)).complete).toBe(false);
    expect(await rowsOf(running.gateway, 1)).toMatchObject([
      {
        status_code: 499,
        usage_estimated: true,
        prompt_tokens: 9,
        completion_tokens: 100,
        cost: (9 * 10 + 100 * 30) / 1e6,
      },
    ]);
  },
);

test('an unreadable response is billed by estimate, and a provider error is free', async () => {
  const running = await start();
  const estimate = (9 * 10 + 100 * 30) / 1e6;
  const ends: readonly (readonly [(response: ServerResponse) => unknown, number | null])[] = [
    [(response) => response.writeHead(200).end('{"choices": 7'), estimate],
    [(response) => response.writeHead(200).write('{"choices": 7', () => response.destroy()), estimate],
    [(response) => response.writeHead(529).end('{}'), null],
    [(response) => response.destroy(), null],
  ];
  for (const [index, [end, cost]] of ends.entries()) {
    let response: ServerResponse | undefined;
    const body = chatBody('held:any', { max_tokens: 100 });
    await leave(running, CHAT, body, async () => (response = await held.next()));
    if (response) end(response);
    const rows = await rowsOf(running.gateway, index + 1);
    expect(rows.at(-1)).toMatchObject({ status_code: 499, cost });
  }
});

test('a request that was never sent is free', async () => {
  const running = await start({
    providers: [
      { name: 'held', type: 'openai', baseUrl: held.url, local: true, limits: { maxConnections: 1 } },
    ],
    aliases: [],
  });
  const { gateway, secret } = running;
  const first = gateway.post(CHAT, chatBody('held:any'), secret);
  const response = await held.next();
  const reserved = async () => Number((await gateway.admin('GET', '/v1/users/ann'))['reserved']);
  const ofOne = await reserved();
  await leave(running, CHAT, chatBody('held:any'), () => expect.poll(reserved).toBeGreaterThan(ofOne));
  response.writeHead(400).end('{}');
  await (await first).text();
  expect((await rowsOf(gateway, 2)).map(({ cost }) => cost)).toEqual([null, null]);
});
