/** Divides a vector by its L2 norm; a zero vector is unchanged. */
export function normalizeL2(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

/** Mean of the first `rows` rows of a matrix in row-major order. */
export function meanOfRows(values: Float32Array, rows: number, width: number): Float32Array {
  const sum = new Float64Array(width);
  for (let start = 0; start < rows * width; start += width) {
    for (let column = 0; column < width; column++) {
      sum[column] = (sum[column] ?? 0) + (values[start + column] ?? 0);
    }
  }
  return Float32Array.from(sum, (value) => (rows === 0 ? 0 : value / rows));
}
