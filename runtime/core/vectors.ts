/** Divides a vector by its L2 norm; a zero vector stays as it is. */
export function normalizeL2(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

/** Mean of the rows of a matrix stored row after row. */
export function meanOfRows(rows: readonly Float32Array[], width: number): Float32Array {
  const sum = new Float64Array(width);
  for (const row of rows) for (let at = 0; at < width; at++) sum[at] = (sum[at] ?? 0) + (row[at] ?? 0);
  return Float32Array.from(sum, (value) => (rows.length === 0 ? 0 : value / rows.length));
}
