import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokenBucket } from '#manager/access/token-bucket.ts';

const MINUTE = { count: 3, milliseconds: 60_000 };

test('all tokens can be taken at the same time, and the next token is available after its interval', () => {
  const bucket = createTokenBucket(MINUTE);
  expect([1, 2, 3].map(() => bucket.take(0))).toEqual([0, 0, 0]);
  expect(bucket.take(0)).toBe(20_000);
  expect(bucket.take(5_000)).toBe(15_000);
  expect(bucket.take(20_000)).toBe(0);
  expect(bucket.take(20_000)).toBe(20_000);
});

test('a bucket never contains more tokens than the rate, even after a long idle time', () => {
  const bucket = createTokenBucket(MINUTE);
  expect([1, 2, 3, 4].map(() => bucket.take(1e12) === 0)).toEqual([true, true, true, false]);
});

test('setting the clock back has no effect', () => {
  const bucket = createTokenBucket(MINUTE);
  for (let taken = 0; taken < 3; taken += 1) bucket.take(1_000_000);
  expect(bucket.take(0)).toBe(20_000);
  expect(bucket.take(20_000)).toBe(0);
});

test('callers never get more tokens than the rate allows in the elapsed time', () => {
  const rate = fc.record({
    count: fc.integer({ min: 1, max: 50 }),
    milliseconds: fc.integer({ min: 1, max: 10_000 }),
  });
  fc.assert(
    fc.property(rate, fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 }), (limit, gaps) => {
      const bucket = createTokenBucket(limit);
      let now = 0;
      let taken = 0;
      for (const gap of gaps) {
        now += gap;
        const wait = bucket.take(now);
        expect(wait).toBeGreaterThanOrEqual(0);
        if (wait === 0) taken += 1;
      }
      expect(taken).toBeLessThanOrEqual(limit.count + (now * limit.count) / limit.milliseconds + 1e-6);
    }),
  );
});

test('a caller that waits as long as required gets a token', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 100_000 }),
      (count, milliseconds) => {
        const bucket = createTokenBucket({ count, milliseconds });
        for (let taken = 0; taken < count; taken += 1) bucket.take(0);
        let now = 0;
        const refusals: number[] = [];
        for (let turn = 0; turn < 50; turn += 1) {
          const wait = bucket.take(now);
          now += wait;
          if (wait > 0) refusals.push(bucket.take(now));
        }
        expect(refusals.filter((again) => again > 0)).toEqual([]);
        expect(refusals.length).toBeGreaterThan(0);
      },
    ),
  );
});
