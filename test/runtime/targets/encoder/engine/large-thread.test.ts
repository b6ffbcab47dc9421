import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { JobItem } from '#encoder/engine/job.ts';
import { createLargeThread } from '#encoder/engine/large-thread.ts';
import type { PoolMember } from '#encoder/engine/pool-member.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

/** Threads that run nothing, and the thread for large texts that starts them. */
function setUp(open: (start: () => PoolMember) => PoolMember = (start) => start()) {
  const events: string[] = [];
  const deaths: PromiseWithResolvers<AppError>[] = [];
  const room = Promise.withResolvers<void>();
  let free = room;
  const clock = handClock();
  const start = (): PoolMember => {
    events.push('start');
    const died = Promise.withResolvers<AppError>();
    deaths.push(died);
    return {
      alone: false,
      running: () => 0,
      run: async (items) => void events.push(`run ${items.length}`),
      died: died.promise,
      ended: Promise.resolve(),
      close: async () => void events.push('close'),
    };
  };
  const large = createLargeThread(
    async () => open(start),
    {
      onRoom: () => free.resolve(),
      onFailed: (_, error, reason) => void events.push(`${reason}: ${error.message}`),
    },
    clock,
  );
  const run = async (): Promise<void> => {
    free = Promise.withResolvers();
    large.send(ITEMS);
    expect(large.isFree()).toBe(false);
    await free.promise;
  };
  return { events, deaths, large, clock, run };
}

const ITEMS: readonly JobItem[] = [];

test('a thread starts for the first large text, is reused for the next, and stops after an idle period', async () => {
  const { events, large, clock, run } = setUp();
  await run();
  expect(large.isFree()).toBe(true);
  clock.pass(9000);
  await run();
  clock.pass(9000);
  expect(events).toEqual(['start', 'run 0', 'run 0']);
  clock.pass(1000);
  expect(events.at(-1)).toBe('close');
  expect(clock.waiting()).toEqual([]);
  await run();
  expect(events.slice(-2)).toEqual(['start', 'run 0']);
  await large.close();
  expect(events.at(-1)).toBe('close');
  expect(clock.waiting()).toEqual([]);
});

test('a dead thread is replaced for the next text', async () => {
  const { events, deaths, large, run } = setUp();
  await run();
  deaths[0]?.resolve(new AppError('InternalError', 'gone'));
  await deaths[0]?.promise;
  await run();
  expect(events).toEqual(['start', 'run 0', 'start', 'run 0']);
  await large.close();
});

test('a text fails if its thread cannot start, and the next text starts the thread again', async () => {
  let attempts = 0;
  const { events, large, run } = setUp((start) => {
    attempts += 1;
    if (attempts === 1) throw new AppError('InternalError', 'no memory');
    return start();
  });
  await run();
  await run();
  expect(events).toEqual(['failed: no memory', 'start', 'run 0']);
  await large.close();
});
