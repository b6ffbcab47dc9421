import { divided } from '#core/vectors/vectors.ts';

/** A vector, and the number of tokens it stands for. */
export interface WeightedVector {
  readonly vector: Float32Array;
  readonly weight: number;
}

/** Mean of the vectors of a text's windows, weighted by their numbers of tokens. */
export function meanOfWindows(windows: readonly WeightedVector[]): Float32Array {
  const total = windows.reduce((sum, { weight }) => sum + weight, 0);
  const sum = new Float64Array(windows[0]?.vector.length ?? 0);
  for (const { vector, weight } of windows) {
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value * weight;
  }
  return divided(sum, total);
}
