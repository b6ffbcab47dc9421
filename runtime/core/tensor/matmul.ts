import { broadcastShapes, pairAxes, walkPairs } from './broadcast.ts';
import { describeShape, elementsIn, type Allocate, createTensor, type Tensor } from './tensor.ts';

/**
 * The matrix product as in numpy: [n, k] and [k, m] give [n, m]. Axes before the last two are broadcast. A tensor with one axis
 * is treated as a row on the left and as a column on the right, and the result does not have that axis.
 */
export function matmul(allocate: Allocate, left: Tensor, right: Tensor): Tensor {
  if (left.shape.length === 0 || right.shape.length === 0) throw new Error(misfit(left, right));
  const leftShape = left.shape.length === 1 ? [1, ...left.shape] : left.shape;
  const rightShape = right.shape.length === 1 ? [...right.shape, 1] : right.shape;
  const [n = 1, k = 1, m = 1] = [leftShape.at(-2), leftShape.at(-1), rightShape.at(-1)];
  if (k !== rightShape.at(-2)) throw new Error(misfit(left, right));

  const [leftBatch, rightBatch] = [leftShape.slice(0, -2), rightShape.slice(0, -2)];
  const batch = broadcastShapes(leftBatch, rightBatch, `${nameOf(left, right)}, axes before the last two`);
  checkWork(left, right, elementsIn([...batch, n, k, m]));
  const rows = left.shape.length === 1 ? [] : [n];
  const columns = right.shape.length === 1 ? [] : [m];
  const out = createTensor(allocate, [...batch, ...rows, ...columns]);
  if (out.data.length === 0) return out;

  walkPairs(pairAxes(batch, leftBatch, rightBatch), (at, leftAt, rightAt) => {
    const matrix = right.data.subarray(rightAt * k * m, (rightAt + 1) * k * m);
    for (let row = 0; row < n; row++) {
      const from = (leftAt * n + row) * k;
      weighRows(out.data, (at * n + row) * m, left.data.subarray(from, from + k), matrix, m, 1);
    }
  });
  return out;
}

/** Maximum number of multiplications. This many take seconds, during which a script cannot be interrupted. */
const MAX_PRODUCTS = 2 ** 32;

function checkWork(left: Tensor, right: Tensor, products: number): void {
  if (products <= MAX_PRODUCTS) return;
  throw new Error(
    `${nameOf(left, right)} requires ${products} multiplications; the maximum is ${MAX_PRODUCTS}.`,
  );
}

function misfit(left: Tensor, right: Tensor): string {
  return (
    `${nameOf(left, right)} is not possible: the last axis of the first must match the second-to-last axis ` +
    'of the second, or its only axis.'
  );
}

const nameOf = (left: Tensor, right: Tensor): string =>
  `matmul of ${describeShape(left.shape)} and ${describeShape(right.shape)}`;

/**
 * Sums rows multiplied by their weights, divides by `total`, and writes the result from `to` on. Sums are doubles, computed row
 * by row in memory order.
 */
export function weighRows(
  out: Float32Array,
  to: number,
  weights: Float32Array,
  rows: Float32Array,
  columns: number,
  total: number,
): void {
  const sums = new Float64Array(Math.min(columns, BLOCK));
  for (let from = 0; from < columns; from += BLOCK) {
    const end = Math.min(BLOCK, columns - from);
    sums.fill(0);
    for (let row = 0; row < weights.length; row++) {
      const weight = weights[row] ?? 0;
      const at = row * columns + from;
      for (let column = 0; column < end; column++) {
        sums[column] = (sums[column] ?? 0) + (rows[at + column] ?? 0) * weight;
      }
    }
    for (let column = 0; column < end; column++) out[to + from + column] = (sums[column] ?? 0) / total;
  }
}

/**
 * Number of columns per pass. It limits the memory for sums, which does not count against the
 * script's memory limit.
 */
const BLOCK = 1024;
