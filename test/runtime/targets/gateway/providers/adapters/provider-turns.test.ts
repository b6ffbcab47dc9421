import { setImmediate as immediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import {
  createProviderTurns,
  createThreadTurns,
  offerTurns,
  type TurnFunctions,
  type Turns,
} from '#gateway/providers/adapters/provider-turns.ts';
import { openThreadLink } from '#serve/threads/thread-link.ts';

let closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers) close();
  closers = [];
});

const SERVER = 'openai https://models.example/v1';

/** The limit in the main thread and in two serving threads. */
async function openThreads(maxRequests: number): Promise<[main: Turns, one: Turns, two: Turns]> {
  const turns = createProviderTurns();
  const threads = [1, 2].map(() => {
    const { port1, port2 } = new MessageChannel();
    const main = openThreadLink<never>(port1, { ...offerTurns(turns) });
    const thread = openThreadLink<TurnFunctions>(port2);
    closers.push(main.close, thread.close);
    return createThreadTurns(thread)(SERVER, maxRequests);
  });
  const [one, two] = threads as [Turns, Turns];
  const all: [Turns, Turns, Turns] = [turns.of(SERVER, maxRequests).queue, one, two];
  // The first request of a thread asks the main thread; after that, the memory is known.
  for (const each of all) {
    const turn = each.ask();
    if (turn.kind === 'waiting') await turn.granted;
    if (turn.kind !== 'refused') turn.leave();
  }
  await settled();
  return all;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await immediate();
}

/** Asks for a place; whether it is granted, and how to leave. */
function ask(turns: Turns) {
  const turn = turns.ask();
  if (turn.kind === 'refused') throw new Error('refused');
  const state = {
    isGranted: turn.kind === 'granted',
    wasImmediate: turn.kind === 'granted',
    leave: turn.leave,
  };
  if (turn.kind === 'waiting')
    turn.granted.then(
      () => (state.isGranted = true),
      () => undefined,
    );
  return state;
}

test('free places are taken without a message, and never more than the limit', async () => {
  const [main, one, two] = await openThreads(3);
  const asked = [ask(one), ask(two), ask(main), ask(one), ask(two), ask(main)];
  expect(asked.map(({ wasImmediate }) => wasImmediate)).toEqual([true, true, true, false, false, false]);
  await settled();
  expect(asked.filter(({ isGranted }) => isGranted)).toHaveLength(3);
  asked[0]?.leave();
  asked[0]?.leave();
  await settled();
  expect(asked.filter(({ isGranted }) => isGranted)).toHaveLength(4);
  for (const { leave } of asked) leave();
  await settled();
  const next = [ask(two), ask(two), ask(one), ask(one)];
  expect(next.map(({ wasImmediate }) => wasImmediate)).toEqual([true, true, true, false]);
});

test('requests that wait come before new ones', async () => {
  const [main, one, two] = await openThreads(1);
  const first = ask(one);
  const waiting = ask(two);
  await settled();
  const later = ask(main);
  first.leave();
  const newest = ask(one);
  await settled();
  expect([waiting, later, newest].map(({ isGranted }) => isGranted)).toEqual([true, false, false]);
  waiting.leave();
  await settled();
  expect([later.isGranted, newest.isGranted]).toEqual([true, false]);
});

test('a wait that is cancelled gives up its place in the queue', async () => {
  const [main, one, two] = await openThreads(1);
  const running = ask(main);
  const [cancelled, next] = [ask(one), ask(two)];
  await settled();
  cancelled.leave();
  running.leave();
  await settled();
  expect(next.isGranted).toBe(true);
  next.leave();
  await settled();
  expect(ask(one).wasImmediate).toBe(true);
});

test('many threads never exceed the limit and serve every request', async () => {
  const all = await openThreads(4);
  let running = 0;
  let most = 0;
  const work = async (at: number): Promise<void> => {
    const turn = all[at % 3]?.ask();
    if (!turn || turn.kind === 'refused') throw new Error('refused');
    if (turn.kind === 'waiting') await turn.granted;
    running += 1;
    most = Math.max(most, running);
    await immediate();
    running -= 1;
    turn.leave();
  };
  await Promise.all(Array.from({ length: 300 }, (_, at) => work(at)));
  expect([most, running]).toEqual([4, 0]);
});
