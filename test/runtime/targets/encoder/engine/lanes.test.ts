import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Lane, laneOf, LaneQueue } from '#encoder/engine/lanes.ts';

const text = (tokens: number) => ({ ids: new Int32Array(tokens), truncated: false });

test.each([
  { tokens: [512], inputs: 1, lane: 'interactive' },
  { tokens: [513], inputs: 1, lane: 'bulk' },
  { tokens: [100, 100, 312], inputs: 3, lane: 'interactive' },
  { tokens: [100, 100, 313], inputs: 3, lane: 'bulk' },
  // The request has more texts than are tokenized in one call.
  { tokens: [1, 1], inputs: 65, lane: 'bulk' },
])('a request of $inputs texts with $tokens tokens is $lane', ({ tokens, inputs, lane }) => {
  expect(laneOf(tokens.map(text), inputs)).toBe(lane);
});

test('a long text counts with all its windows', () => {
  expect(laneOf([{ ...text(300), windows: [text(300), text(200)] }], 1)).toBe('interactive');
  expect(laneOf([{ ...text(300), windows: [text(300), text(300)] }], 1)).toBe('bulk');
});

const item = (lane: Lane, length = 10) => ({ length, job: { lane } });

test('interactive requests run first, but at most four batches in a row while bulk requests wait', () => {
  const queue = new LaneQueue<ReturnType<typeof item>>({}, Infinity);
  for (let count = 0; count < 12; count++) queue.add(item('interactive'));
  queue.add(item('bulk'));
  queue.add(item('bulk'));
  const lanes = Array.from({ length: 14 }, () => queue.take(10)[0]?.job.lane === 'bulk');
  expect(lanes.map((bulk, at) => (bulk ? at : -1)).filter((at) => at >= 0)).toEqual([4, 9]);
  expect([queue.size, queue.tokens]).toEqual([0, 0]);
});

test('every item is returned once, and no batch contains items of both lanes', () => {
  const lane = fc.constantFrom<Lane>('interactive', 'bulk');
  const items = fc.array(fc.record({ lane, length: fc.integer({ min: 1, max: 300 }) }), { maxLength: 80 });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 1024 }), (given, maxTokens) => {
      const queue = new LaneQueue<ReturnType<typeof item>>({}, Infinity);
      const all = given.map((one) => item(one.lane, one.length));
      for (const one of all) queue.add(one);
      const out: (typeof all)[] = [];
      for (let batch = queue.take(maxTokens); batch.length > 0; batch = queue.take(maxTokens))
        out.push(batch);
      expect(new Set(out.flat())).toEqual(new Set(all));
      expect(out.flat()).toHaveLength(all.length);
      for (const batch of out) expect(new Set(batch.map(({ job }) => job.lane)).size).toBe(1);
    }),
  );
});
