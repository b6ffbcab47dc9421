import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'undici';
import { startFixture } from '../../fixture-provider.ts';
import { startKeyGate } from '../../key-gate.ts';
import { instanceOf, runGateway } from '../completions/running-gateway.ts';
import { WAYS, type WayAnswer } from './ways.ts';

// Every way to a provider waits for its key's limits and for providers without room, or is listed with the reason why
// it does not. All ways wait together, in real requests.

/** Ways that do not wait for the limits of budgets, keys and users, because these do not apply to them. */
const WITHOUT_LIMITS: Readonly<Record<string, string>> = {
  '/v1/messages/count_tokens': 'No model is called. The separate limit of free requests applies.',
  '/v1/responses/input_tokens': 'No model is called. The separate limit of free requests applies.',
  'Gemini countTokens': 'No model is called. The separate limit of free requests applies.',
  'a file': 'No model is called. The separate limit of free requests applies.',
};
/** Ways that do not wait for a provider without room. */
const WITHOUT_PROVIDER_QUEUE: Readonly<Record<string, string>> = {
  ...WITHOUT_LIMITS,
  'a batch': 'The API for files and batches has its own limits, which do not depend on the model’s room.',
};

/** Free requests have the same limit, and run concurrently in this test. */
const PARALLEL = 10;
const SESSION = 'a realtime session';
const [openai, anthropic, gemini, words] = [
  await startFixture('openai'),
  await startFixture('anthropic'),
  await startFixture('gemini'),
  await startFixture('encoder'),
];
const gates = {
  openai: await startKeyGate(openai.url),
  anthropic: await startKeyGate(anthropic.url),
  gemini: await startKeyGate(gemini.url),
  words: await startKeyGate(words.url),
};
// A provider that holds its responses until they are released.
const held: (() => void)[] = [];
const holder = createServer((request, response) => {
  request.resume();
  held.push(() => response.writeHead(500).end('{}'));
});
holder.listen(0, '127.0.0.1');
await once(holder, 'listening');
const holderUrl = `http://127.0.0.1:${(holder.address() as AddressInfo).port}`;
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', { ...openai, url: gates.openai.url }, { dialect: { hasResponses: true } }),
      instanceOf('anthropic', { ...anthropic, url: gates.anthropic.url }),
      instanceOf('gemini', { ...gemini, url: gates.gemini.url }),
      { name: 'words', type: 'encoder', baseUrl: gates.words.url, local: true },
      instanceOf('anthropic', { ...anthropic, url: holderUrl }, { name: 'holder' }),
    ],
    routing: { retry: { retries: 0, baseDelay: 1, maxDelay: 1, maxPause: 1 } },
    queue: { maxWaiting: 1000, maxPerUser: 1000 },
  },
  config: {
    workflows: {
      compute: 'local',
      // The two jobs wait together.
      slots: 2,
      workers: 1,
      trustUsers: false,
      maxDatasetBytes: 1_048_576,
      ray: undefined,
    },
  },
});
afterAll(async () => {
  await gateway.stop();
  holder.closeAllConnections();
  holder.close();
});
const setRoom = (hasRoom: boolean): void => {
  for (const gate of Object.values(gates))
    gate.judge = ({ path }) =>
      hasRoom || /\/files|\/batches/.test(path)
        ? undefined
        : { status: 429, headers: { 'retry-after': '1' } };
};
afterEach(() => setRoom(true));

const finish = async (): Promise<void> => void (await fetch(`${openai.url}/finish`, { method: 'POST' }));
const waitingNow = async (): Promise<number> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return [...text.matchAll(/^gateway_queue_requests\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};

/** Opens and closes a realtime session. */
async function session(key: string): Promise<WayAnswer> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=openai:good`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const status = await new Promise<number>((resolve) => {
    socket.addEventListener('open', () => resolve(200));
    socket.addEventListener('error', () => resolve(429));
  });
  socket.close();
  return { status, text: '' };
}

interface Sent {
  /** The ways whose response has arrived, with its status. */
  readonly ended: Map<string, number>;
  readonly all: Promise<unknown>;
}

/** Sends one request in each way, concurrently. */
function sendAll(key: string): Sent {
  const ended = new Map<string, number>();
  const asked = { url: gateway.url, key, finish };
  const sent = WAYS.map(async ({ name, send }) => void ended.set(name, (await send(asked, 'Hello')).status));
  const opened = session(key).then(({ status }) => ended.set(SESSION, status));
  return { ended, all: Promise.all([...sent, opened]) };
}

const NAMES = [...WAYS.map(({ name }) => name), SESSION];
const ok = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 200]));

/** Waits until the other ways are waiting, and checks which ones do not. */
async function expectOthersToWait({ ended }: Sent, exceptions: Readonly<Record<string, string>>) {
  const expected = Object.keys(exceptions);
  await vi.waitFor(
    async () => {
      expect(Object.fromEntries(ended)).toEqual(ok(expected));
      expect(await waitingNow()).toBe(NAMES.length - expected.length);
    },
    { timeout: 60_000, interval: 200 },
  );
}

test('all ways wait while a limit of their key is used up', { timeout: 120_000 }, async () => {
  await gateway.user('ann', { max_parallel: PARALLEL, queue_sec: 300 });
  const key = await gateway.key({ user_id: 'ann' });
  const body = { model: 'holder:m', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };
  const first = Array.from({ length: PARALLEL }, () => gateway.post('/v1/messages', body, key));
  await expect.poll(() => held).toHaveLength(PARALLEL);
  const sent = sendAll(key);
  await expectOthersToWait(sent, WITHOUT_LIMITS);
  held.splice(0).forEach((release) => release());
  await Promise.all(first);
  await sent.all;
  expect(Object.fromEntries(sent.ended)).toEqual(ok(NAMES));
});

test('all ways wait while a provider has no room', { timeout: 120_000 }, async () => {
  await gateway.user('bob', { queue_sec: 300 });
  const key = await gateway.key({ user_id: 'bob' });
  setRoom(false);
  const sent = sendAll(key);
  await expectOthersToWait(sent, WITHOUT_PROVIDER_QUEUE);
  setRoom(true);
  await sent.all;
  expect(Object.fromEntries(sent.ended)).toEqual(ok(NAMES));
});
