import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRequestSlots, type RequestSlot } from '#gateway/evaluation/work/backends/request-slots.ts';
import { createTestClock } from '../../../test-clock.ts';

const { signal } = new AbortController();

/** Slots for a maximum number of requests, and the requests granted so far. */
function open(max: number) {
  const clock = createTestClock();
  const slots = createRequestSlots(max, clock);
  const granted: RequestSlot[] = [];
  const names: string[] = [];
  const takeOne = async (name: string, isRetry: boolean): Promise<void> => {
    granted.push(await slots.take(signal, isRetry));
    names.push(name);
  };
  const take = (name: string, isRetry = false): void => void takeOne(name, isRetry);
  return { clock, slots, granted, names, take };
}

test('simultaneous rate limit errors halve the concurrency once and pause all requests', async () => {
  const { clock, granted, take } = open(8);
  for (let at = 0; at < 20; at += 1) take(String(at));
  await turn();
  expect(granted).toHaveLength(8);
  // All 8 were sent before the limit changed, so it is halved once, and the longest pause applies.
  for (const [at, slot] of granted.splice(0).entries()) {
    slot.rateLimited(at === 3 ? 5000 : 1000);
    slot.release(false);
  }
  clock.advance(4999);
  await turn();
  expect(granted).toHaveLength(0);
  clock.advance(1);
  await turn();
  expect(granted).toHaveLength(4);
  // The next rejection reduces it to 2; then two responses raise it to 3.
  const [first, second, ...others] = granted.splice(0);
  first?.rateLimited(0);
  for (const slot of [first, second, ...others]) slot?.release(false);
  clock.advance(0);
  await turn();
  expect(granted).toHaveLength(2);
  for (const slot of granted.splice(0)) slot.release(true);
  await turn();
  expect(granted).toHaveLength(3);
});

test('retries are sent before new requests, and a canceled request leaves the queue', async () => {
  const { slots, granted, names, take } = open(1);
  take('first');
  take('second');
  const left = new AbortController();
  const leaving = slots.take(left.signal, true);
  take('retry', true);
  left.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  await turn();
  for (let at = 0; at < 2; at += 1) {
    granted.at(-1)?.release(true);
    await turn();
  }
  expect(names).toEqual(['first', 'retry', 'second']);
  await expect(slots.take(left.signal, false)).rejects.toThrow('left');
});
