import type { Pooling } from '#contract/sentence.ts';

/**
 * Pools a text's token vectors, stored row by row, into one vector. The first `skip` rows are
 * ignored. If no rows remain, the vector is zero. The result can share memory with `values`.
 */
export function poolRows(
  values: Float32Array,
  width: number,
  pooling: Pooling | readonly Pooling[],
  skip = 0,
): Float32Array {
  if (typeof pooling !== 'string') {
    return Float32Array.from(pooling.flatMap((mode) => [...poolRows(values, width, mode, skip)]));
  }
  if (pooling === 'none') return values;
  const counted = values.subarray(skip * width);
  return counted.length === 0 ? new Float32Array(width) : POOL[pooling](counted, width, skip);
}

/** `skip` is the position of the first row. */
type Pool = (rows: Float32Array, width: number, skip: number) => Float32Array;

const POOL: Record<Exclude<Pooling, 'none'>, Pool> = {
  mean: (rows, width) => meanOfRows(rows, rows.length / width, width),
  cls: (rows, width) => rows.subarray(0, width),
  max: maxOfRows,
  last: (rows, width) => rows.subarray(-width),
  mean_sqrt_len_tokens: (rows, width) => weightedSum(rows, width, () => Math.sqrt(width / rows.length)),
  weightedmean: weightedMean,
};

/** A token's weight is its position, counted from 1 and including the prompt's tokens. */
function weightedMean(rows: Float32Array, width: number, skip: number): Float32Array {
  const count = rows.length / width;
  const total = (count * (count + 1)) / 2 + count * skip;
  return weightedSum(rows, width, (row) => (skip + row + 1) / total);
}

function weightedSum(rows: Float32Array, width: number, weightOf: (row: number) => number): Float32Array {
  const sum = new Float64Array(width);
  for (let row = 0; row < rows.length / width; row++) {
    const weight = weightOf(row);
    for (let column = 0; column < width; column++) {
      sum[column] = (sum[column] ?? 0) + weight * (rows[row * width + column] ?? 0);
    }
  }
  return Float32Array.from(sum);
}

function maxOfRows(rows: Float32Array, width: number): Float32Array {
  const maximum = rows.slice(0, width);
  for (let start = width; start < rows.length; start += width) {
    for (let column = 0; column < width; column++) {
      maximum[column] = Math.max(maximum[column] ?? 0, rows[start + column] ?? 0);
    }
  }
  return maximum;
}

// The functions below use plain loops: `Float32Array.from`, `map` and `reduce` with a function take
// five times as long (measured).

/** Mean of the first `rows` rows of a matrix in row-major order. @internal Exported for tests only. */
export function meanOfRows(values: Float32Array, rows: number, width: number): Float32Array {
  const sum = new Float64Array(width);
  for (let start = 0; start < rows * width; start += width) {
    for (let column = 0; column < width; column++) {
      sum[column] = (sum[column] ?? 0) + (values[start + column] ?? 0);
    }
  }
  return divided(sum, Math.max(rows, 1));
}

/** Divides numbers by a divisor, in single precision. */
export function divided(values: Float32Array | Float64Array, divisor: number): Float32Array {
  const quotients = new Float32Array(values.length);
  for (let at = 0; at < values.length; at++) quotients[at] = (values[at] ?? 0) / divisor;
  return quotients;
}
