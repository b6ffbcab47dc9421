import { eigenVectors } from './eigen.ts';

/** Rows of a matrix, one after the other. */
export interface Rows {
  readonly values: Float32Array;
  readonly width: number;
}

/** Rows from which the directions are determined. More rows take more time, but hardly change them. */
const MAX_SAMPLED_ROWS = 32_768;

/**
 * Projects rows onto the directions in which they differ most (a principal component analysis). The
 * mean of all rows becomes zero.
 */
export function principalComponents({ values, width }: Rows, dimensions: number): Rows {
  const count = values.length / width;
  const mean = meanOf(values, width);
  const { vectors } = eigenVectors(covariance(values, mean, width), width);
  const kept = Math.min(dimensions, width);
  const projected = new Float32Array(count * kept);
  const centered = new Float64Array(width);
  for (let row = 0; row < count; row++) {
    for (let at = 0; at < width; at++) centered[at] = (values[row * width + at] ?? 0) - (mean[at] ?? 0);
    for (let component = 0; component < kept; component++) {
      let sum = 0;
      const start = component * width;
      for (let at = 0; at < width; at++) sum += (centered[at] ?? 0) * (vectors[start + at] ?? 0);
      projected[row * kept + component] = sum;
    }
  }
  return { values: projected, width: kept };
}

function meanOf(values: Float32Array, width: number): Float64Array {
  const mean = new Float64Array(width);
  for (let at = 0; at < values.length; at++) mean[at % width] = (mean[at % width] ?? 0) + (values[at] ?? 0);
  return mean.map((sum) => (sum * width) / values.length);
}

function covariance(values: Float32Array, mean: Float64Array, width: number): Float64Array {
  const count = values.length / width;
  const sampled = Math.min(count, MAX_SAMPLED_ROWS);
  const matrix = new Float64Array(width * width);
  const centered = new Float64Array(width);
  for (let sample = 0; sample < sampled; sample++) {
    const start = Math.floor((sample * count) / sampled) * width;
    for (let at = 0; at < width; at++) centered[at] = (values[start + at] ?? 0) - (mean[at] ?? 0);
    for (let row = 0; row < width; row++) {
      const own = centered[row] ?? 0;
      const offset = row * width;
      // The other half is the same.
      for (let column = row; column < width; column++)
        matrix[offset + column] = (matrix[offset + column] ?? 0) + own * (centered[column] ?? 0);
    }
  }
  for (let row = 0; row < width; row++)
    for (let column = 0; column < row; column++)
      matrix[row * width + column] = matrix[column * width + row] ?? 0;
  return matrix;
}
