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

/** Number of columns per pass, which limits the uncounted memory for sums. */
const BLOCK = 1024;
