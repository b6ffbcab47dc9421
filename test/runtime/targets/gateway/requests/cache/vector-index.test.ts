import { assert, array, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { createVectorIndex, normalized } from '#gateway/requests/cache/vector-index.ts';

const DIMENSIONS = 40;

/** Vectors with the same number are equal, and those with close numbers are similar. */
const vectorOf = (number: number): Float32Array => {
  const values = Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(number / 7 + at * at) + at / 40);
  return normalized(values) ?? new Float32Array(DIMENSIONS);
};
const similarityOf = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

test('the index finds the same most similar vector as an exhaustive search', () => {
  const operation = integer({ min: -30, max: 60 });
  assert(
    property(array(operation, { maxLength: 80 }), integer({ min: 0, max: 60 }), (operations, asked) => {
      const index = createVectorIndex(DIMENSIONS);
      const known = new Map<string, Float32Array>();
      for (const number of operations) {
        const key = `k${Math.abs(number)}`;
        if (number < 0) {
          index.delete(key);
          known.delete(key);
        } else {
          // A key can be given a new vector.
          const vector = vectorOf(number + known.size);
          index.add(key, vector);
          known.set(key, vector);
        }
      }
      expect(index.size).toBe(known.size);
      const vector = vectorOf(asked);
      const best = Math.max(...[...known.values()].map((other) => similarityOf(vector, other)), -1);
      for (const threshold of [0.5, 0.9, 0.99]) {
        const found = index.nearest(vector, threshold);
        const own = known.get(found?.key ?? '');
        const exact = own && similarityOf(vector, own);
        // A similarity that rounding moves across the threshold is neither correct nor wrong.
        const expected = best > threshold - 1e-6 && (found ?? best > threshold + 1e-6) ? best : undefined;
        const near = (value: number | undefined) => value?.toFixed(4);
        expect([near(found?.similarity), near(exact)]).toEqual([near(expected), near(expected)]);
      }
    }),
  );
});

test('a vector matches itself, and zero vectors and NaN do not match any vector', () => {
  const index = createVectorIndex(DIMENSIONS);
  index.add('a', vectorOf(1));
  expect(index.nearest(vectorOf(1), 1)).toEqual({ key: 'a', similarity: 1 });
  expect([normalized([0, 0]), normalized([1, Infinity]), normalized([Number.NaN])]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
