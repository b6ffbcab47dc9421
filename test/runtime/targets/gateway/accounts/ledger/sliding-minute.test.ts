import { array, assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import {
  addUse,
  emptyMinute,
  minuteAt,
  totalOf,
  waitUntilAtMost,
  type SlidingMinute,
} from '#gateway/accounts/ledger/limits.ts';

const START = 1_790_000_003_000;

/** Admits a request if the limit allows it; otherwise returns how long to wait. */
function tryTake(minute: SlidingMinute, now: number, limit: number): { minute: SlidingMinute; wait: number } {
  const current = minuteAt(minute, now);
  if (totalOf(current.requests) < limit) return { minute: addUse(current, now, 1, 0), wait: 0 };
  return { minute: current, wait: waitUntilAtMost(current.requests, current.slot, limit - 1, now) };
}

test('no more requests than the limit are admitted within any 60 seconds', () => {
  const gaps = array(integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
  assert(
    property(gaps, integer({ min: 1, max: 8 }), (pauses, limit) => {
      let now = START;
      let minute = emptyMinute(now);
      const taken: number[] = [];
      for (const pause of pauses) {
        now += pause;
        const result = tryTake(minute, now, limit);
        minute = result.minute;
        if (result.wait === 0) taken.push(now);
      }
      for (const [index, at] of taken.entries()) {
        const next = taken[index + limit] ?? Infinity;
        expect(next - at).toBeGreaterThan(60_000);
      }
    }),
  );
});

test('a caller is admitted exactly after the required wait, and not before', () => {
  const gaps = array(integer({ min: 0, max: 7000 }), { minLength: 1, maxLength: 60 });
  assert(
    property(gaps, integer({ min: 1, max: 8 }), (pauses, limit) => {
      let now = START;
      let minute = emptyMinute(now);
      for (const pause of pauses) {
        now += pause;
        const { minute: next, wait } = tryTake(minute, now, limit);
        minute = next;
        if (wait === 0) continue;
        expect(wait).toBeLessThanOrEqual(65_000);
        expect(tryTake(minute, now + wait - 1, limit).wait).toBeGreaterThan(0);
        expect(tryTake(minute, now + wait, limit).wait).toBe(0);
      }
    }),
  );
});

test('the stored state has a bounded size, and usage older than a minute is dropped', () => {
  let minute = emptyMinute(START);
  for (let count = 0; count < 1000; count += 1)
    minute = addUse(minuteAt(minute, START + count * 100), START + count * 100, 1, 50);
  expect(JSON.stringify(minute).length).toBeLessThan(200);
  expect(totalOf(minuteAt(minute, START + 1_000_000).tokens)).toBe(0);
});

test('token counts are corrected in their original slot and never drop below zero', () => {
  const counted = addUse(emptyMinute(START), START, 1, 500);
  const later = minuteAt(counted, START + 30_000);
  expect(totalOf(addUse(later, START, 0, -480).tokens)).toBe(20);
  expect(totalOf(addUse(later, START, 0, -900).tokens)).toBe(0);
  expect(addUse(later, START - 120_000, 0, 100)).toBe(later);
});

test('usage recorded by a clock 10 seconds ahead is counted, and usage recorded by a clock an hour ahead is ignored', () => {
  const ahead = addUse(emptyMinute(START + 10_000), START + 10_000, 3, 0);
  expect(totalOf(minuteAt(ahead, START).requests)).toBe(3);
  expect(totalOf(addUse(minuteAt(ahead, START), START, 1, 0).requests)).toBe(4);
  const farAhead = addUse(emptyMinute(START + 3_600_000), START + 3_600_000, 3, 0);
  expect(totalOf(minuteAt(farAhead, START).requests)).toBe(0);
});
