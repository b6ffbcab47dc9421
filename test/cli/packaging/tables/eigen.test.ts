import { describe, expect, test } from 'vitest';
import { eigenVectors } from '#cli/packaging/tables/eigen.ts';
import { principalComponents } from '#cli/packaging/tables/principal-components.ts';

const at = (values: ArrayLike<number>, index: number): number => values[index] ?? 0;

function randoms(seed = 7): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31 - 0.5;
}

/** A symmetric matrix that is the product of a random one and its transpose. */
function productOf(size: number, rank = size): Float64Array {
  const random = randoms(size);
  const factor = Float64Array.from({ length: size * rank }, random);
  const matrix = new Float64Array(size * size);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      for (let k = 0; k < rank; k++)
        matrix[row * size + column] =
          at(matrix, row * size + column) + at(factor, row * rank + k) * at(factor, column * rank + k);
  return matrix;
}

/** The largest error of the eigenvectors: of their lengths and angles, and of their images. */
function largestError(matrix: Float64Array, size: number): number {
  const { values, vectors } = eigenVectors(matrix.slice(), size);
  const row = (index: number): Float64Array => vectors.subarray(index * size, (index + 1) * size);
  let error = 0;
  for (let index = 0; index < size; index++) {
    if (index > 0 && at(values, index) > at(values, index - 1)) return Infinity;
    for (let other = 0; other < size; other++) {
      const product = row(index).reduce((sum, value, k) => sum + value * at(row(other), k), 0);
      const image = row(index).reduce((sum, value, k) => sum + value * at(matrix, other * size + k), 0);
      const expected = at(values, index) * at(row(index), other);
      error = Math.max(error, Math.abs(product - (index === other ? 1 : 0)), Math.abs(image - expected));
    }
  }
  return error;
}

describe('eigenvectors', () => {
  test.each([1, 2, 3, 7, 30])('of a matrix of %i rows', (size) => {
    expect(largestError(productOf(size), size)).toBeLessThan(1e-12);
  });

  test.each([
    ['has a lower rank', productOf(12, 3), 12],
    ['is diagonal', Float64Array.of(1, 0, 0, 0, 3, 0, 0, 0, 2), 3],
    ['is zero', new Float64Array(25), 5],
    ['has equal eigenvalues', Float64Array.of(2, 1, 1, 1, 2, 1, 1, 1, 2), 3],
    ['has zeros on its diagonal', Float64Array.of(0, 5, 5, 0), 2],
  ])('of a matrix that %s', (_, matrix, size) => {
    expect(largestError(matrix, size)).toBeLessThan(1e-12);
  });
});

describe('principal components', () => {
  test('keep the distances between rows that differ in few directions', () => {
    const random = randoms();
    const [count, width] = [50, 9];
    const directions = Array.from({ length: 3 }, () => Array.from({ length: width }, random));
    const values = new Float32Array(count * width);
    for (let row = 0; row < count; row++) {
      const shares = directions.map(random);
      for (let column = 0; column < width; column++)
        values[row * width + column] =
          5 + shares.reduce((sum, share, k) => sum + share * at(directions[k] ?? [], column), 0);
    }
    const reduced = principalComponents({ values, width }, 3);
    expect(reduced).toMatchObject({ width: 3 });
    const distance = (rows: Float32Array, size: number, one: number, other: number): number =>
      Math.hypot(
        ...Array.from({ length: size }, (_, k) => at(rows, one * size + k) - at(rows, other * size + k)),
      );
    for (let row = 1; row < count; row++)
      expect(distance(reduced.values, 3, 0, row)).toBeCloseTo(distance(values, width, 0, row), 5);
    for (const column of [0, 1, 2]) {
      const sum = reduced.values.reduce((total, value, k) => total + (k % 3 === column ? value : 0), 0);
      expect(sum).toBeCloseTo(0, 4);
    }
  });

  test('are never more than the width of the rows', () => {
    expect(principalComponents({ values: new Float32Array(12), width: 3 }, 256)).toMatchObject({ width: 3 });
  });
});
