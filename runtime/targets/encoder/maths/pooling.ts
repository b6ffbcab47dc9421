import type { Pooling } from '../../../contract/sentence.ts';
import { meanOfRows } from './vectors.ts';

/**
 * Pools the token vectors of a text, stored row by row, into one vector. The first `skip` rows are ignored; without rows, the
 * vector is zero. The result can share memory with `values`.
 */
export function poolRows(values: Float32Array, width: number, pooling: Pooling, skip = 0): Float32Array {
  if (pooling === 'none') return values;
  const counted = values.subarray(skip * width);
  return counted.length === 0 ? new Float32Array(width) : POOL[pooling](counted, width);
}

const POOL: Record<Exclude<Pooling, 'none'>, (rows: Float32Array, width: number) => Float32Array> = {
  mean: (rows, width) => meanOfRows(rows, rows.length / width, width),
  cls: (rows, width) => rows.subarray(0, width),
  max: maxOfRows,
  last: (rows, width) => rows.subarray(-width),
};

function maxOfRows(rows: Float32Array, width: number): Float32Array {
  const maximum = rows.slice(0, width);
  for (let start = width; start < rows.length; start += width) {
    for (let column = 0; column < width; column++) {
      maximum[column] = Math.max(maximum[column] ?? 0, rows[start + column] ?? 0);
    }
  }
  return maximum;
}
