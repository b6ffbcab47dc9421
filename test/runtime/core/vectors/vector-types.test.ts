import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkNormalized,
  int8Scale,
  type IntegerType,
  toIntegers,
  VECTOR_TYPES,
  VECTOR_TYPES_NOTE,
} from '#core/vectors/vector-types.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

type Row = { readonly vectors: number[][] } & Readonly<Record<IntegerType, number[][]>>;
const { rows } = JSON.parse(readFileSync(join(FIXTURES, 'golden/vector-types.json'), 'utf8')) as {
  rows: Row[];
};
const vectorsIn = ({ vectors }: Row): Float32Array[] => vectors.map((vector) => Float32Array.from(vector));
const widthOf = ({ vectors }: Row): number => vectors[0]?.length ?? 0;

describe.each(rows.map((row) => [widthOf(row), row] as const))('%i dimensions', (width, row) => {
  test.each(['binary', 'ubinary'] as const)('%s matches sentence-transformers', (type) => {
    expect(vectorsIn(row).map((vector) => [...toIntegers(vector, type)])).toEqual(row[type]);
    expect(toIntegers(new Float32Array(width), type)).toHaveLength(Math.ceil(width / 8));
  });

  // sentence-transformers rounds down to one of 256 steps, so that 0 becomes -1.
  test.each(['int8', 'uint8'] as const)('%s is at most two steps above sentence-transformers', (type) => {
    for (const [at, vector] of vectorsIn(row).entries()) {
      const expected = row[type][at] ?? [];
      const differences = [...toIntegers(vector, type)].map((value, one) => value - (expected[one] ?? 0));
      expect(Math.min(...differences)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...differences)).toBeLessThanOrEqual(2);
    }
  });

  test('the scale converts int8 and uint8 back', () => {
    const scale = int8Scale(width);
    for (const vector of vectorsIn(row)) {
      const integers = toIntegers(vector, 'int8');
      const shifted = toIntegers(vector, 'uint8');
      expect([...shifted].map((value) => value - 128)).toEqual([...integers]);
      for (const [at, value] of vector.entries()) {
        const clipped = Math.max(-127 * scale, Math.min(127 * scale, value));
        expect(Math.abs((integers[at] ?? 0) * scale - clipped)).toBeLessThanOrEqual(scale / 2 + 1e-7);
      }
    }
  });
});

test('the scale only depends on the number of dimensions', () => {
  expect(int8Scale(1) * 127).toBe(1);
  expect(int8Scale(144) * 127).toBe(1);
  expect(int8Scale(576) * 127).toBeCloseTo(0.5, 12);
  expect([...toIntegers(Float32Array.of(1, -1, 0, 0.5), 'int8')]).toEqual([127, -127, 0, 64]);
});

test('int8 and uint8 require normalized vectors', () => {
  const refused = VECTOR_TYPES.filter((type) => {
    try {
      checkNormalized([type], false);
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toEqual(['int8', 'uint8']);
  expect(() => checkNormalized(VECTOR_TYPES, true)).not.toThrow();
  expect(() => checkNormalized(['float', 'uint8'], false)).toThrow(
    'normalize is false, but uint8 requires normalized vectors. Remove normalize, or request float, binary or ubinary.',
  );
});

test('API documents describe every type', () => {
  for (const type of VECTOR_TYPES) expect(VECTOR_TYPES_NOTE).toContain(`\`${type}\``);
});
