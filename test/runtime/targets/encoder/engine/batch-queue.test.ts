import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BatchQueue, planBatches } from '#encoder/engine/batch-queue.ts';
import type { RunRules } from '#contract/batching.ts';

interface Item {
  readonly id: number;
  readonly length: number;
}

const filled = (lengths: readonly number[], rules?: RunRules): BatchQueue<Item> => {
  const queue = new BatchQueue<Item>(rules);
  for (const [id, length] of lengths.entries()) queue.add({ id, length });
  return queue;
};

function drain(queue: BatchQueue<Item>, maxTokens: number): Item[][] {
  const batches: Item[][] = [];
  for (let batch = queue.take(maxTokens); batch.length > 0; batch = queue.take(maxTokens))
    batches.push(batch);
  return batches;
}

const LENGTHS = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 120 });

describe('BatchQueue', () => {
  test('every item is returned once', () => {
    fc.assert(
      fc.property(LENGTHS, fc.integer({ min: 1, max: 1024 }), (given, maxTokens) => {
        const out = drain(filled(given), maxTokens).flat();
        expect(out.map(({ id }) => id).sort((a, b) => a - b)).toEqual(given.map((_, id) => id));
      }),
    );
  });

  test('texts from requests and files are batched only with texts that can share a run', () => {
    fc.assert(
      fc.property(LENGTHS, fc.integer({ min: 1, max: 1024 }), (given, maxTokens) => {
        const plans = (batching: RunRules['batching']): number[][] => [
          ...drain(filled(given, { batching }), maxTokens).map((batch) => batch.map(({ length }) => length)),
          ...planBatches(given, maxTokens, { batching }).map((batch) => batch.map((at) => given[at] ?? 0)),
        ];
        const equal = plans('equal_length');
        expect(equal.every((lengths) => new Set(lengths).size === 1)).toBe(true);
        expect(equal.flat()).toHaveLength(2 * given.length);
        expect(plans('single').map(({ length }) => length)).toEqual(given.flatMap(() => [1, 1]));
      }),
    );
    expect(
      drain(filled([5, 7, 5, 5], { batching: 'equal_length' }), 1024).map(({ length }) => length),
    ).toEqual([3, 1]);
    expect(filled([5], { batching: 'single' }).isFull(1024)).toBe(true);
    expect(filled([5]).isFull(1024)).toBe(false);
  });

  test('a run with a fixed number of texts is filled with any waiting texts, up to that number', () => {
    fc.assert(
      fc.property(
        LENGTHS,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 1024 }),
        (given, texts, maxTokens) => {
          const rules = { fixedShape: { texts } };
          const sizes = drain(filled(given, rules), maxTokens).map((batch) => batch.length);
          const plans = planBatches(given, maxTokens, rules).map((batch) => batch.length);
          const full = Array.from({ length: Math.floor(given.length / texts) }, () => texts);
          const expected = given.length % texts === 0 ? full : [...full, given.length % texts];
          expect([sizes, plans]).toEqual([expected, expected]);
          expect(filled(given, rules).isFull(maxTokens)).toBe(given.length >= texts);
        },
      ),
    );
  });

  test('texts with a fixed number of tokens count with their padding', () => {
    const rules = { fixedShape: { tokens: 100 } };
    const queue = filled([5, 80, 7, 20, 9], rules);
    expect([queue.tokens, queue.isFull(500), queue.isFull(501)]).toEqual([500, true, false]);
    expect(drain(queue, 250).map((batch) => batch.length)).toEqual([2, 2, 1]);
    expect(planBatches([5, 80, 7, 20, 9], 250, rules).map((batch) => batch.length)).toEqual([2, 2, 1]);
    expect(queue.tokens).toBe(0);
  });

  test('no batch exceeds the maximum, except a single long text', () => {
    fc.assert(
      fc.property(LENGTHS, fc.integer({ min: 1, max: 1024 }), (given, maxTokens) => {
        for (const batch of drain(filled(given), maxTokens)) {
          const padded = batch.length * Math.max(...batch.map(({ length }) => length));
          expect(batch.length === 1 || padded <= maxTokens).toBe(true);
        }
      }),
    );
  });

  test('the longest-waiting text is always in the next batch, so no text starves', () => {
    fc.assert(
      fc.property(LENGTHS, (given) => {
        const waiting = new Set(given.map((_, id) => id));
        for (const batch of drain(filled(given), 512)) {
          expect(batch.map(({ id }) => id)).toContain(Math.min(...waiting));
          for (const { id } of batch) waiting.delete(id);
        }
      }),
    );
  });

  test('texts of similar length run together, and a long text does not delay short ones', () => {
    const batches = drain(filled([10, 200, 10, 10, 200]), 1024);
    expect(batches.map((batch) => batch.map(({ length }) => length))).toEqual([
      [10, 10, 10],
      [200, 200],
    ]);
  });

  test('mixed lengths require little padding when many texts are waiting', () => {
    const given = Array.from({ length: 512 }, (_, id) => 1 + ((id * 7919) % 256));
    const padded = drain(filled(given), 1024).reduce(
      (sum, batch) => sum + batch.length * Math.max(...batch.map(({ length }) => length)),
      0,
    );
    expect(padded / given.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.1);
  });

  test('removed texts are not run, and their tokens are not counted', () => {
    const queue = new BatchQueue<Item>();
    const items = [5, 6, 7].map((length, id) => ({ id, length }));
    for (const item of items) queue.add(item);
    for (const item of items.slice(0, 2)) queue.remove(item);
    queue.remove({ id: 9, length: 7 });
    expect([queue.size, queue.tokens]).toEqual([1, 7]);
    expect(queue.take(100)).toEqual([items[2]]);
    expect([queue.size, queue.tokens]).toEqual([0, 0]);
  });
});

test('a batch contains items of one group only, and no item is lost', () => {
  const queue = new BatchQueue<{ length: number; group: string }>();
  const items = Array.from({ length: 9 }, (_, at) => ({ length: 4 + (at % 2), group: `g${at % 3}` }));
  for (const item of items) queue.add(item);
  const batches = [queue.take(100), queue.take(100), queue.take(100)];
  expect(batches.map((batch) => batch.map(({ group }) => group))).toEqual([
    ['g0', 'g0', 'g0'],
    ['g1', 'g1', 'g1'],
    ['g2', 'g2', 'g2'],
  ]);
  expect([queue.size, queue.take(100)]).toEqual([0, []]);
});

test('texts share a batch only up to the maximum number of token pairs', () => {
  const queue = new BatchQueue({}, 29_999);
  for (let added = 0; added < 3; added++) queue.add({ length: 100 });
  queue.add({ length: 300 });
  expect(queue.take(10_000)).toHaveLength(2);
  expect(queue.take(10_000)).toHaveLength(1);
  // A single text is run regardless of its length.
  expect(queue.take(10_000)).toEqual([{ length: 300 }]);
});
