import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'undici';
import { startFixture } from '../../fixture-provider.ts';
import { instanceOf, runGateway } from './running-gateway.ts';

// A provider that rejects requests while it has no room, and holds others until they are released.
const provider = { hasRoom: true, isHolding: false, rejected: 0, accepted: 0, keys: new Set<string>() };
const held: (() => void)[] = [];
const releaseAll = (): void => held.splice(0).forEach((release) => release());

function answer(request: IncomingMessage, response: ServerResponse): void {
  provider.keys.add(String(request.headers.authorization));
  if (!provider.hasRoom) {
    provider.rejected += 1;
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end('{"error":{"message":"No room.","type":"rate_limit"}}');
    return;
  }
  provider.accepted += 1;
  const send = (): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  };
  if (provider.isHolding) held.push(send);
  else send();
}

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => answer(request, response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const fixture = await startFixture('openai');
const limited = {
  ...instanceOf('openai', fixture, { name: 'limited' }),
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
};
const models = {
  providers: [
    limited,
    {
      ...limited,
      name: 'pool',
      apiKey: undefined,
      keys: [
        { name: 'one', apiKey: 'key-one-of-the-pool', weight: 1 },
        { name: 'two', apiKey: 'key-two-of-the-pool', weight: 1 },
      ],
    },
    instanceOf('openai', fixture, { listedAs: 'openai' }),
  ],
  routing: { retry: { retries: 0, baseDelay: 1, maxDelay: 1, maxPause: 1 } },
  queue: { maxWaiting: 6, maxPerUser: 5 },
};
const gateway = await runGateway({ models });
afterAll(() => gateway.stop());
await gateway.user('ann', { max_parallel: 1 });
await gateway.user('eve');
const queued = await gateway.key({ user_id: 'ann', queue_sec: 60 });
const unqueued = await gateway.key({ user_id: 'ann' });
const free = await gateway.key({ user_id: 'eve', queue_sec: 60 });

beforeEach(() => {
  releaseAll();
  Object.assign(provider, { hasRoom: true, isHolding: false, rejected: 0, accepted: 0, keys: new Set() });
});

const BODY = { model: 'limited:m', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
const chat = async (key: string, more: object = {}, init: RequestInit = {}): Promise<Response> =>
  await gateway.post('/v1/chat/completions', { ...BODY, ...more }, key, init);
const waitingNow = async (): Promise<number> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return [...text.matchAll(/^gateway_queue_requests\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};

test('concurrent requests wait for each other, on all routes, and report the time', async () => {
  provider.isHolding = true;
  const first = chat(queued);
  await expect.poll(() => held).toHaveLength(1);
  expect((await chat(unqueued)).status).toBe(429);
  const others = [
    gateway.post('/v1/embeddings', { model: 'limited:m', input: 'Hi' }, queued),
    gateway.post('/v1/responses', { model: 'limited:m', input: 'Hi' }, queued),
    gateway.post('/v1/messages', BODY, queued),
    gateway.post(
      '/v1beta/models/limited:m:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
      queued,
    ),
  ];
  await expect.poll(() => waitingNow()).toBe(4);
  expect(held).toHaveLength(1);
  const queues = await gateway.admin('GET', '/v1/queues');
  expect(queues).toEqual([{ priority: 'normal', requests: 4, waiting_since: expect.any(String) }]);
  provider.isHolding = false;
  releaseAll();
  const one = await first;
  expect([one.status, one.headers.get('x-gateway-queue-ms')]).toEqual([200, null]);
  for (const response of await Promise.all(others)) {
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('x-gateway-queue-ms'))).toBeGreaterThan(0);
  }
  expect(await waitingNow()).toBe(0);
});

test('a realtime session waits before it opens', async () => {
  provider.isHolding = true;
  const first = chat(queued);
  await expect.poll(() => held).toHaveLength(1);
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=openai:gpt-realtime`, {
    headers: { authorization: `Bearer ${queued}` },
  });
  const opened = once(socket as unknown as NodeJS.EventEmitter, 'open').catch(() => undefined);
  const isOpen = new Promise((resolve) => socket.addEventListener('open', () => resolve(true)));
  void opened;
  await expect.poll(() => waitingNow()).toBe(1);
  expect(socket.readyState).toBe(WebSocket.CONNECTING);
  releaseAll();
  expect((await first).status).toBe(200);
  expect(await isOpen).toBe(true);
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  socket.close();
  await closed;
});

test('a client that disconnects leaves the queue, and a full queue rejects', async () => {
  provider.isHolding = true;
  const first = chat(queued);
  await expect.poll(() => held).toHaveLength(1);
  const gone = new AbortController();
  const leaving = Array.from({ length: 5 }, () => chat(queued, {}, { signal: gone.signal }));
  const left = Promise.allSettled(leaving);
  await expect.poll(() => waitingNow()).toBe(5);
  const full = await chat(queued);
  expect([full.status, await full.json()]).toMatchObject([
    429,
    { error: { message: expect.stringContaining('already has 5 requests in the queue.') } },
  ]);
  gone.abort();
  await left;
  await expect.poll(() => waitingNow()).toBe(0);
  releaseAll();
  await first;
});

test.each(['limited', 'pool'])(
  'requests wait until %s has room again, and then start slowly',
  async (name) => {
    provider.hasRoom = false;
    const requests = Array.from({ length: 5 }, () => chat(free, { model: `${name}:m` }));
    await expect.poll(() => waitingNow()).toBe(5);
    const rejected = provider.rejected;
    expect(rejected).toBeLessThanOrEqual(10);
    await new Promise((resolve) => setTimeout(resolve, 1300));
    // Only one request at a time has been sent since, with each key.
    expect(provider.rejected - rejected).toBeLessThanOrEqual(name === 'pool' ? 4 : 2);
    provider.hasRoom = true;
    const responses = await Promise.all(requests);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Number(responses[0]?.headers.get('x-gateway-queue-ms'))).toBeGreaterThan(500);
    expect(provider.keys.size).toBe(name === 'pool' ? 2 : 1);
    const rows = await gateway.usage('eve');
    expect(rows.filter(({ status }) => status === 'success').length % 5).toBe(0);
  },
);

test('a provider without room rejects requests of keys without a queue immediately', async () => {
  const key = await gateway.key({ user_id: 'eve' });
  provider.hasRoom = false;
  const response = await chat(key);
  expect([response.status, await response.json()]).toMatchObject([
    429,
    { error: { code: 'provider_rate_limited' } },
  ]);
});

test('waiting requests are rejected on shutdown, so that another gateway can handle them', async () => {
  const other = await runGateway({ models, server: { shutdownMs: 2000 } });
  await other.user('ann', { max_parallel: 1 });
  const key = await other.key({ user_id: 'ann', queue_sec: 60 });
  provider.isHolding = true;
  const post = () => other.post('/v1/chat/completions', BODY, key);
  const first = post();
  await expect.poll(() => held).toHaveLength(1);
  const second = post();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stopped = other.stop();
  expect((await second).status).toBe(503);
  releaseAll();
  expect((await first).status).toBe(200);
  await stopped;
});
