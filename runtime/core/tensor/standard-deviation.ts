import { reduceWhole } from './reduce.ts';
import type { Tensor } from './tensor.ts';

/** Standard deviation of all elements; `ddof` is subtracted from their number in the divisor, 1 for a sample. */
export function standardDeviation(tensor: Tensor, ddof: number): number {
  return reduceWhole(tensor, writeDeviation, ddof);
}

function writeDeviation(
  out: Float32Array,
  to: number,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  ddof: number,
): void {
  const { squares } = deviations(data, at, end, step);
  out[to] = Math.sqrt(squares / Math.max((end - at) / step - ddof, 0));
}

/** The mean of a lane, and the sum of squared deviations from it. */
export function deviations(
  data: Float32Array,
  at: number,
  end: number,
  step: number,
): { mean: number; squares: number } {
  let sum = 0;
  for (let i = at; i < end; i += step) sum += data[i] ?? 0;
  const mean = sum / ((end - at) / step);
  let squares = 0;
  for (let i = at; i < end; i += step) {
    const distance = (data[i] ?? 0) - mean;
    squares += distance * distance;
  }
  return { mean, squares };
}
