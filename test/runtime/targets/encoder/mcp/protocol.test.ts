import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EncoderContext } from '#encoder/context.ts';
import { call, INITIALIZE, messages } from '../../../serve/mcp/requests.ts';
import { contextOf, openServing } from './serving-context.ts';
import { waitingEngine } from './stub-engine.ts';
import { connect, type ServedOverHttp, serveHttp, serveStreams } from './wires.ts';
import { builtAssets } from '#test/helpers/built.ts';

let context: EncoderContext;
let served: ServedOverHttp;
beforeAll(async () => {
  context = await openServing(builtAssets('sentiment'));
  served = await serveHttp(context, { maxBodyBytes: 100_000 });
});
afterAll(async () => {
  await served.close();
  await context.engine.close();
});

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(served.url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
const runEncoder = (inputs: readonly string[]): object => ({
  ...call(2, 'run_encoder'),
  params: { name: 'run_encoder', arguments: { inputs } },
});

test.each([
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2124-01-01', '2025-06-18'],
])('a client that requests version %s gets %s', async (asked, answered) => {
  const initialize = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: asked } };
  const response = await post(initialize);
  expect(await messages(response)).toMatchObject([{ id: 1, result: { protocolVersion: answered } }]);
  const session = {
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': answered,
  };
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
  expect(await messages(await post(runEncoder(['I love this']), session))).toMatchObject([
    { id: 2, result: { structuredContent: { results: [{ predicted_label: 'POSITIVE' }] } } },
  ]);
  expect((await post(call(3, 'ping'), { ...session, 'mcp-protocol-version': asked })).status).toBe(
    asked === answered ? 200 : 400,
  );
});

test('two concurrent clients each get their own responses', async () => {
  const clients = await Promise.all([connect(served), connect(served)]);
  const texts = ['I love this', 'this is awful'];
  const labels = await Promise.all(
    clients.map(async (client, at) => {
      const calls = Array.from({ length: 20 }, () =>
        client.callTool({ name: 'run_encoder', arguments: { inputs: [texts[at]] } }),
      );
      const answers = await Promise.all(calls);
      return new Set(answers.map(({ structuredContent }) => JSON.stringify(structuredContent)));
    }),
  );
  expect(labels.map(({ size }) => size)).toEqual([1, 1]);
  expect([...(labels[0] ?? [])][0]).toContain('"POSITIVE"');
  expect([...(labels[1] ?? [])][0]).toContain('"NEGATIVE"');
  await Promise.all(clients.map((client) => client.close()));
});

test('a canceled call stops the engine', async () => {
  const { engine, waiting, untilWaiting } = waitingEngine();
  for (const serve of [serveStreams, serveHttp]) {
    const waiter = await serve(contextOf(engine));
    const client = await connect(waiter);
    const cancel = new AbortController();
    const answer = client.callTool({ name: 'run_encoder', arguments: { inputs: ['x'] } }, undefined, {
      signal: cancel.signal,
    });
    await untilWaiting(1);
    cancel.abort('changed my mind');
    await expect(answer).rejects.toThrow('changed my mind');
    await untilWaiting(0);
    expect(waiting()).toBe(0);
    await client.close();
    await waiter.close();
  }
});

test('calls of disconnected clients are canceled', async () => {
  const { engine, untilWaiting } = waitingEngine();
  const waiter = await serveHttp(contextOf(engine));
  const post = (body: unknown, session = '', signal?: AbortSignal): Promise<Response> =>
    fetch(waiter.url, {
      method: 'POST',
      headers: { ...HEADERS, ...(session === '' ? {} : { 'mcp-session-id': session }) },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  const session = (await post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
  const leave = new AbortController();
  const answers = [3, 4, 5].map((id) =>
    post({ ...runEncoder(['x']), id }, session, leave.signal).then((response) => response.text()),
  );
  await untilWaiting(3);
  leave.abort();
  const outcomes = await Promise.allSettled(answers);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await untilWaiting(0);
  await waiter.close();
});

test('draining waits for accepted calls', async () => {
  const { engine, release, untilWaiting } = waitingEngine();
  const draining = contextOf(engine);
  const waiter = await serveHttp(draining);
  const client = await connect(waiter);
  const answer = client.callTool({ name: 'run_encoder', arguments: { inputs: ['x', 'y'] } });
  await untilWaiting(1);
  const drained = draining.kernel.lifecycle.drain().then(() => waiter.close());
  release();
  expect((await answer).structuredContent).toMatchObject({ results: [{}, {}] });
  await drained;
  await client.close();
});

test('invalid data is rejected with 4xx, and the next call succeeds', async () => {
  const client = await connect(served);
  const session = { 'mcp-session-id': (client.transport as { sessionId?: string }).sessionId ?? '' };
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    'null',
    '1e999',
    '\\u0000',
    'jsonrpc',
    '"2.0"',
    '\u{1F600}',
  ];
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const garbage = Array.from({ length: 200 }, (_, at) => {
    if (at % 3 === 0) return Uint8Array.from({ length: next(300) }, () => next(256));
    const count = 1 + next(20);
    return `${Array.from({ length: count }, () => pieces[next(pieces.length)]).join('')}.`;
  });
  const statuses = new Set<number>();
  for (const body of garbage) {
    statuses.add((await post(body)).status);
    statuses.add((await post(body, session)).status);
  }
  expect([...statuses]).toEqual([400]);
  expect((await post('x'.repeat(200_000), session)).status).toBe(413);
  const answer = await client.callTool({ name: 'run_encoder', arguments: { inputs: ['I love this'] } });
  expect(answer.structuredContent).toMatchObject({ results: [{ predicted_label: 'POSITIVE' }] });
  await client.close();
});

test('the listening server also rejects pages from other hosts', async () => {
  const refused = await post(INITIALIZE, { origin: 'http://evil.example' });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 }, id: null });
});
