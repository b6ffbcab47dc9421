import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { ThreadPlan } from '#encoder/engine/thread-plan.ts';
import type { JobItem } from '#encoder/engine/job.ts';
import { type Pool, startPool } from '#encoder/engine/pool.ts';
import type { PooledModel, PoolMember } from '#encoder/engine/pool-member.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

/** A thread that runs a batch until it is finished. */
interface FakeThread {
  readonly name: string;
  readonly finish: () => void;
  readonly die: () => void;
}

const MODEL = {} as PooledModel;
const ITEMS: readonly JobItem[] = [];
const PLAN: ThreadPlan = { workers: 2, threads: 1, alone: 2 };

/** A pool of threads that run nothing; `events` records what happens to them. */
async function setUp(plan: ThreadPlan = PLAN) {
  const events: string[] = [];
  const threads: FakeThread[] = [];
  const state = { replaced: false, failing: false };
  const clock = handClock();
  const start = async (_: PooledModel, share: number, alone: boolean): Promise<PoolMember> => {
    const name = alone ? 'alone' : `worker${threads.filter((thread) => thread.name !== 'alone').length}`;
    if (state.failing) throw new AppError('InternalError', 'no memory');
    events.push(`open ${name} of ${share}`);
    const died = Promise.withResolvers<AppError>();
    const runs: PromiseWithResolvers<void>[] = [];
    threads.push({
      name,
      finish: () => runs.shift()?.resolve(),
      die: () => died.resolve(new AppError('InternalError', 'gone')),
    });
    return {
      alone,
      running: () => runs.length,
      async run() {
        events.push(`run ${name}`);
        const run = Promise.withResolvers<void>();
        runs.push(run);
        await run.promise;
      },
      died: died.promise,
      ended: Promise.resolve(),
      close: async () => void events.push(`close ${name}`),
    };
  };
  const rooms: (() => void)[] = [];
  const pool = await startPool(
    MODEL,
    plan,
    {
      onDone: () => {},
      onFailed: () => {},
      onRoom: () => rooms.shift()?.(),
      onDeath: () => void events.push('death'),
      onEnded: () => void events.push('ended'),
    },
    () => !state.replaced,
    { start, clock },
  );
  /** Performs an action that frees a slot, and waits for it. */
  const untilRoom = async (act: () => void): Promise<void> => {
    const room = new Promise<void>((resolve) => rooms.push(resolve));
    act();
    await room;
  };
  const finish = (name: string): Promise<void> =>
    untilRoom(() => threads.findLast((thread) => thread.name === name)?.finish());
  const open = (opened: Pool = pool): Promise<void> => untilRoom(() => opened.openWorkers(true));
  return { pool, events, threads, state, clock, open, finish, untilRoom };
}

test('workers start when several texts wait, and stop after an idle period', async () => {
  const { pool, events, clock, open, finish } = await setUp();
  expect(events).toEqual(['open alone of 2']);
  // Until the workers have started, the session for single texts runs the batches.
  expect([pool.canRunAlone(), pool.room()]).toEqual([true, { idle: 1, ahead: 0 }]);
  const opening = open();
  pool.send(ITEMS);
  expect(events.at(-1)).toBe('run alone');
  expect(pool.room()).toEqual({ idle: 0, ahead: 0 });
  await opening;
  // Workers wait for the batch that uses all CPUs.
  expect([pool.size(), pool.room()]).toEqual([3, { idle: 0, ahead: 0 }]);
  await finish('alone');
  expect(pool.room()).toEqual({ idle: 2, ahead: 0 });
  pool.openWorkers(false);
  expect(events.filter((event) => event.startsWith('open'))).toHaveLength(3);

  clock.pass(29_000);
  pool.send(ITEMS);
  clock.pass(29_000);
  await finish('worker0');
  clock.pass(29_000);
  expect(pool.size()).toBe(3);
  clock.pass(1000);
  expect(events.slice(-2)).toEqual(['close worker0', 'close worker1']);
  expect([pool.size(), pool.canRunAlone(), clock.waiting()]).toEqual([1, true, []]);

  await open();
  expect(pool.size()).toBe(3);
  await pool.close();
  expect(clock.waiting()).toEqual([]);
});

test('the session for single texts runs a batch in addition to those of the workers', async () => {
  const { pool, open, finish } = await setUp();
  expect(pool.canInterleave()).toBe(false);
  await open();
  expect(pool.canInterleave()).toBe(true);
  pool.send(ITEMS);
  pool.sendAlone(ITEMS);
  expect([pool.canInterleave(), pool.canRunAlone()]).toEqual([false, false]);
  // Workers do not wait for it.
  expect(pool.room()).toEqual({ idle: 1, ahead: 1 });
  await finish('alone');
  await finish('worker0');
  // Without other batches, it uses all CPUs.
  pool.sendAlone(ITEMS);
  expect(pool.room()).toEqual({ idle: 0, ahead: 0 });
  await finish('alone');
  await pool.close();
});

test('on one CPU, the worker starts for bulk requests only', async () => {
  const { pool, events, open } = await setUp({ workers: 1, threads: 1, alone: 1 });
  pool.openWorkers(false);
  expect([events, pool.room()]).toEqual([['open alone of 1'], { idle: 1, ahead: 0 }]);
  await open();
  expect([events.at(-1), pool.canInterleave()]).toEqual(['open worker0 of 1', true]);
  await pool.close();
});

test('if workers cannot start, all texts run in the session for single texts, and the pool retries after a delay', async () => {
  const { pool, events, state, clock, open, finish } = await setUp();
  state.failing = true;
  await open();
  state.failing = false;
  pool.openWorkers(false);
  expect([pool.size(), pool.room()]).toEqual([1, { idle: 1, ahead: 0 }]);
  pool.send(ITEMS);
  await finish('alone');
  clock.pass(30_000);
  await open();
  expect(events.filter((event) => event.startsWith('open worker'))).toHaveLength(2);
  await pool.close();
});

test('workers neither start nor stop after the file was replaced', async () => {
  const { pool, events, state, clock, open } = await setUp();
  state.replaced = true;
  pool.openWorkers(false);
  expect(events).toEqual(['open alone of 2']);
  state.replaced = false;
  await open();
  state.replaced = true;
  clock.pass(30_000);
  expect(pool.size()).toBe(3);
  await pool.close();
});

test('a worker that cannot be replaced leaves the others running, and the session for single texts is replaced', async () => {
  const { pool, threads, state, clock, open, untilRoom } = await setUp();
  await open();
  state.failing = true;
  await untilRoom(() => threads.findLast(({ name }) => name === 'worker1')?.die());
  state.failing = false;
  expect([pool.size(), pool.room()]).toEqual([2, { idle: 1, ahead: 0 }]);
  clock.pass(30_000);
  expect(pool.size()).toBe(1);
  await untilRoom(() => threads.find(({ name }) => name === 'alone')?.die());
  expect(pool.size()).toBe(1);
  await pool.close();
});

test('workers without a session for single texts are started immediately', async () => {
  const { pool, events, clock } = await setUp({ workers: 2, threads: 1 });
  expect(events).toEqual(['open worker0 of 1', 'open worker1 of 1']);
  clock.pass(60_000);
  expect([pool.size(), pool.canRunAlone(), pool.room()]).toEqual([2, false, { idle: 2, ahead: 0 }]);
  await pool.close();
});
