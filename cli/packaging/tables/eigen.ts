/** The eigenvectors of a symmetric matrix, one per row, those of the greatest eigenvalues first. */
export interface EigenVectors {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

/**
 * Computes all eigenvectors of a symmetric matrix of `size` rows, which is overwritten: Householder
 * reflections make it tridiagonal, and rotations with implicit shifts make it diagonal. Applying the
 * rotations to all vectors takes the time, about 6 x size³ operations.
 */
export function eigenVectors(matrix: Float64Array, size: number): EigenVectors {
  const reflected = toTridiagonal(matrix, size);
  diagonalize(reflected);
  const { diagonal, vectors } = reflected;
  const order = Array.from(diagonal.keys()).sort((one, other) => at(diagonal, other) - at(diagonal, one));
  const sorted = new Float64Array(size * size);
  for (const [row, from] of order.entries())
    sorted.set(vectors.subarray(from * size, (from + 1) * size), row * size);
  return { values: Float64Array.from(order, (row) => at(diagonal, row)), vectors: sorted };
}

interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** The number next to each diagonal element, one fewer than elements. */
  readonly beside: Float64Array;
  /** The transformation so far: row `n` becomes the eigenvector of `diagonal[n]`. */
  readonly vectors: Float64Array;
}

const at = (values: Float64Array, index: number): number => values[index] ?? 0;

function toTridiagonal(matrix: Float64Array, size: number): Tridiagonal {
  const vectors = identity(size);
  const beside = new Float64Array(Math.max(0, size - 1));
  for (let column = 0; column + 1 < size; column++) {
    const mirror = mirrorOf(matrix, size, column);
    beside[column] = mirror.length;
    if (!mirror.normal) continue;
    reflectBothSides(matrix, size, column + 1, mirror.normal);
    reflectColumns(vectors, size, column + 1, mirror.normal);
  }
  const diagonal = Float64Array.from({ length: size }, (_, row) => at(matrix, row * size + row));
  return { diagonal, beside, vectors: transposed(vectors, size) };
}

/** The reflection that moves the part of a column below the diagonal to its first number, which becomes `length`. */
function mirrorOf(
  matrix: Float64Array,
  size: number,
  column: number,
): { readonly length: number; readonly normal?: Float64Array } {
  const below = Float64Array.from({ length: size - column - 1 }, (_, row) =>
    at(matrix, (column + 1 + row) * size + column),
  );
  const first = at(below, 0);
  const norm = lengthOf(below);
  if (norm === Math.abs(first)) return { length: first };
  const length = first > 0 ? -norm : norm;
  below[0] = first - length;
  const scale = 1 / lengthOf(below);
  return { length, normal: below.map((value) => value * scale) };
}

const lengthOf = (vector: Float64Array): number =>
  Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

/** Reflects rows and columns from `start` on. Only the part from `start` on is read again. */
function reflectBothSides(matrix: Float64Array, size: number, start: number, normal: Float64Array): void {
  const count = normal.length;
  const product = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    const offset = (start + row) * size + start;
    let sum = 0;
    for (let column = 0; column < count; column++) sum += at(matrix, offset + column) * at(normal, column);
    product[row] = 2 * sum;
  }
  let along = 0;
  for (let row = 0; row < count; row++) along += at(product, row) * at(normal, row);
  for (let row = 0; row < count; row++) product[row] = at(product, row) - along * at(normal, row);
  for (let row = 0; row < count; row++) {
    const offset = (start + row) * size + start;
    const [own, other] = [at(normal, row), at(product, row)];
    for (let column = 0; column < count; column++) {
      matrix[offset + column] =
        at(matrix, offset + column) - own * at(product, column) - other * at(normal, column);
    }
  }
}

function reflectColumns(vectors: Float64Array, size: number, start: number, normal: Float64Array): void {
  for (let row = 0; row < size; row++) {
    const offset = row * size + start;
    let sum = 0;
    for (let column = 0; column < normal.length; column++)
      sum += at(vectors, offset + column) * at(normal, column);
    for (let column = 0; column < normal.length; column++)
      vectors[offset + column] = at(vectors, offset + column) - 2 * sum * at(normal, column);
  }
}

/** Rounds of rotations for one eigenvalue; two or three are usual. */
const MAX_ROUNDS = 60;

function diagonalize({ diagonal, beside, vectors }: Tridiagonal): void {
  const size = diagonal.length;
  let rounds = 0;
  for (let end = size - 1; end > 0;) {
    if (isNegligible(diagonal, beside, end - 1)) {
      beside[end - 1] = 0;
      end -= 1;
      rounds = 0;
      continue;
    }
    let start = end - 1;
    while (start > 0 && !isNegligible(diagonal, beside, start - 1)) start -= 1;
    if ((rounds += 1) > MAX_ROUNDS) throw new Error('the eigenvalues of a matrix were not found');
    chase(diagonal, beside, vectors, start, end);
  }
}

const isNegligible = (diagonal: Float64Array, beside: Float64Array, index: number): boolean =>
  Math.abs(at(beside, index)) <=
  Number.EPSILON * (Math.abs(at(diagonal, index)) + Math.abs(at(diagonal, index + 1)));

/** One round of rotations from `start` to `end`, which makes the number before `end` smaller. */
function chase(
  diagonal: Float64Array,
  beside: Float64Array,
  vectors: Float64Array,
  start: number,
  end: number,
): void {
  const half = (at(diagonal, end - 1) - at(diagonal, end)) / 2;
  const last = at(beside, end - 1);
  const root = Math.hypot(half, last);
  const shift = at(diagonal, end) - (last * last) / (half + (half < 0 ? -root : root) || Number.MIN_VALUE);
  let [ahead, bulge] = [at(diagonal, start) - shift, at(beside, start)];
  for (let index = start; index < end; index++) {
    const radius = Math.hypot(ahead, bulge);
    const [cos, sin] = radius === 0 ? [1, 0] : [ahead / radius, bulge / radius];
    if (index > start) beside[index - 1] = radius;
    const [upper, lower, between] = [at(diagonal, index), at(diagonal, index + 1), at(beside, index)];
    const mixed = 2 * cos * sin * between;
    diagonal[index] = cos * cos * upper + mixed + sin * sin * lower;
    diagonal[index + 1] = sin * sin * upper - mixed + cos * cos * lower;
    beside[index] = cos * sin * (lower - upper) + (cos * cos - sin * sin) * between;
    ahead = at(beside, index);
    if (index + 1 < end) {
      bulge = sin * at(beside, index + 1);
      beside[index + 1] = cos * at(beside, index + 1);
    }
    rotateRows(vectors, diagonal.length, index, cos, sin);
  }
}

function rotateRows(vectors: Float64Array, size: number, row: number, cos: number, sin: number): void {
  const offset = row * size;
  for (let index = offset; index < offset + size; index++) {
    const [one, other] = [at(vectors, index), at(vectors, index + size)];
    vectors[index] = cos * one + sin * other;
    vectors[index + size] = cos * other - sin * one;
  }
}

function identity(size: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let row = 0; row < size; row++) matrix[row * size + row] = 1;
  return matrix;
}

function transposed(matrix: Float64Array, size: number): Float64Array {
  const result = new Float64Array(matrix.length);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      result[column * size + row] = at(matrix, row * size + column);
  return result;
}
