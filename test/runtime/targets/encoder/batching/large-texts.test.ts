import { expect, test } from 'vitest';
import { BatchQueue } from '#encoder/batching/batch-queue.ts';
import { maxPairsInThreads } from '#encoder/batching/large-texts.ts';

test('threads are limited to 256 MB, or a sixteenth of the memory', () => {
  expect(Math.floor(Math.sqrt(maxPairsInThreads(96, 24_000_000_000)))).toBe(1632);
  expect(maxPairsInThreads(96, 960_000_000)).toBe(625_000);
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
