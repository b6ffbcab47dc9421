import { expect, test } from 'vitest';
import { KnownVectors } from '#manager/meanings/known-vectors.ts';
import { MAX_VECTOR_BYTES } from '#manager/meanings/vector-file.ts';

const HOUR = 3_600_000;
/** A dimension with which four vectors are the maximum. */
const WIDE = MAX_VECTOR_BYTES / 4 / Float32Array.BYTES_PER_ELEMENT;

test('vectors are limited by their size, and a recently used one is not replaced', () => {
  const known = new KnownVectors(WIDE);
  const vector = new Float32Array(0);
  for (const name of ['a', 'b', 'c', 'd']) known.add(name, vector, true, 0);
  expect(known.hasRoom(HOUR)).toBe(false);
  expect(known.use('a', true, HOUR)).toBe(vector);
  expect(known.hasRoom(HOUR + 1)).toBe(true);
  known.add('e', vector, true, HOUR + 1);
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => known.use(name, true, HOUR + 1))).toEqual([
    'a',
    'c',
    'd',
    'e',
  ]);
  expect(known.size).toBe(4);
});

test('a vector that only one user’s items have is not shared, until another item has the same text', () => {
  const known = new KnownVectors(2);
  known.add('a', Float32Array.of(1, 0), false, 0);
  known.use('a', false, 1);
  expect([...known.shared().keys()]).toEqual([]);
  known.use('a', true, 1);
  expect([...known.shared().keys()]).toEqual(['a']);
});
