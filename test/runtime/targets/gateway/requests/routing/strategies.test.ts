import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { BREAKER_POLICY } from '#gateway/requests/routing/target-states.ts';
import type { Alias, Router } from '#gateway/requests/routing/routing.ts';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import { callOf, chatBody, readStream } from '../../test-provider.ts';

const clock = manualClock();

/** A provider with a given response time on the test clock, which counts its requests. */
interface StandIn {
  readonly url: string;
  takesMs: number;
  status: number;
  requests: number;
  /** Responses to waiting requests. */
  readonly held: (() => void)[];
  holds: boolean;
}

async function startStandIn(): Promise<StandIn> {
  const own = { url: '', takesMs: 0, status: 200, requests: 0, held: [] as (() => void)[], holds: false };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    own.requests += 1;
    clock.advance(own.takesMs);
    const { stream = false } = JSON.parse(text) as { stream?: boolean };
    const send = (): void => answer(response, own.status, stream);
    if (own.holds) own.held.push(send);
    else send();
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  own.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return own;
}

function answer(response: ServerResponse, status: number, stream: boolean): void {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const choice = { index: 0, finish_reason: 'stop' };
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const whole = { ...chunk, choices: [{ ...choice, message: { role: 'assistant', content: 'Hi' } }], usage };
  const event = { ...chunk, choices: [{ ...choice, delta: { role: 'assistant', content: 'Hi' } }] };
  response.writeHead(status, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  const text = stream ? `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n` : JSON.stringify(whole);
  response.end(status === 200 ? text : JSON.stringify({ error: { message: 'No.' } }));
}

const standIns = { a: await startStandIn(), b: await startStandIn(), c: await startStandIn() };
const NAMES = ['a', 'b', 'c'] as const;

/** A router with an alias `any` for these models, without retries. */
function routerOf(alias: Omit<Alias, 'name'>): Router {
  for (const name of NAMES) Object.assign(standIns[name], { takesMs: 0, status: 200, holds: false });
  let seed = 7;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const providers = NAMES.map((name) =>
    openProvider(
      { name, type: 'openai', baseUrl: standIns[name].url, local: true },
      { clock, random, onLine: () => undefined },
    ),
  );
  afterAll(() => Promise.all(providers.map((provider) => provider.close())));
  return createRouter({
    providers,
    aliases: [{ name: 'any', ...alias }],
    clock,
    random,
    policy: { retry: { retries: 0, baseDelay: 0, maxDelay: 0, maxPause: 0 } },
  });
}

/** The number of requests that each target received. */
async function shares(router: Router, requests: number, stream = false): Promise<Record<string, number>> {
  const before = NAMES.map((name) => standIns[name].requests);
  for (let nth = 0; nth < requests; nth += 1) {
    const call = callOf('chat', chatBody('any', { stream }));
    const { answer: got } = await router.chat(router.resolve('any', stream), call);
    if (got.kind === 'stream') await readStream(got, { clock });
    // Time also passes between requests.
    clock.advance(1000);
  }
  return Object.fromEntries(
    NAMES.map((name, index) => [name, standIns[name].requests - (before[index] ?? 0)]),
  );
}

const ALL = [{ model: 'a:m' }, { model: 'b:m' }, { model: 'c:m' }];

test.each([false, true])(
  'the fastest target gets most requests until another target is faster (stream: %s)',
  async (stream) => {
    const router = routerOf({ targets: ALL, strategy: 'fastest' });
    Object.assign(standIns.a, { takesMs: 500 });
    Object.assign(standIns.b, { takesMs: 40 });
    Object.assign(standIns.c, { takesMs: 300 });
    const first = await shares(router, 100, stream);
    expect(first['b']).toBeGreaterThan(85);
    // All targets have been tried.
    expect(Math.min(...Object.values(first))).toBeGreaterThan(0);

    Object.assign(standIns.a, { takesMs: 5 });
    const second = await shares(router, 200, stream);
    expect(second['a']).toBeGreaterThan(100);
    expect((await shares(router, 100, stream))['a']).toBeGreaterThan(85);
  },
);

test('speeds of streams and buffered responses are measured separately', async () => {
  const router = routerOf({ targets: ALL.slice(0, 2), strategy: 'fastest' });
  Object.assign(standIns.a, { takesMs: 10 });
  Object.assign(standIns.b, { takesMs: 400 });
  await shares(router, 20, true);
  Object.assign(standIns.a, { takesMs: 400 });
  Object.assign(standIns.b, { takesMs: 10 });
  expect((await shares(router, 20, false))['b']).toBeGreaterThan(15);
  expect(router.resolve('any', true).targets[0]?.key).toBe('a:m');
});

test('the breaker keeps requests away from the fastest target while that target fails', async () => {
  const router = routerOf({ targets: ALL.slice(0, 2), strategy: 'fastest' });
  Object.assign(standIns.b, { takesMs: 100 });
  expect((await shares(router, 30))['a']).toBeGreaterThan(25);
  standIns.a.status = 500;
  const failing = await shares(router, 12);
  expect(failing['b']).toBe(12);
  // Five failures open the breaker, and then there are only trials.
  expect(failing['a']).toBeLessThanOrEqual(BREAKER_POLICY.failures + 2);
  standIns.a.status = 200;
  clock.advance(BREAKER_POLICY.maxOpen);
  expect((await shares(router, 30))['a']).toBeGreaterThan(25);
});

test('requests in flight are balanced by weight, and targets without weight are tried last', async () => {
  const router = routerOf({
    targets: [
      { model: 'a:m', weight: 1 },
      { model: 'b:m', weight: 2 },
      { model: 'c:m', weight: 0 },
    ],
    strategy: 'least_busy',
  });
  const before = NAMES.map((name) => standIns[name].requests);
  for (const name of NAMES) standIns[name].holds = true;
  const sent: Promise<unknown>[] = [];
  const send = (): void => {
    sent.push(router.chat(router.resolve('any'), callOf('chat', chatBody('any'))));
  };
  for (let nth = 0; nth < 9; nth += 1) send();
  const got = (): number[] => NAMES.map((name, index) => standIns[name].requests - (before[index] ?? 0));
  const arrived = async (count: number): Promise<void> => {
    while (got().reduce((sum, each) => sum + each) < count)
      await new Promise((resolve) => setImmediate(resolve));
  };
  await arrived(9);
  expect(got()).toEqual([3, 6, 0]);
  // One target becomes idle and gets the next requests.
  for (const go of standIns.a.held.splice(0)) go();
  while (router.resolve('any').targets[0]?.key !== 'a:m')
    await new Promise((resolve) => setImmediate(resolve));
  for (let nth = 0; nth < 3; nth += 1) send();
  await arrived(12);
  expect(got()).toEqual([6, 6, 0]);
  for (const name of NAMES) for (const go of standIns[name].held.splice(0)) go();
  await Promise.all(sent);
});
