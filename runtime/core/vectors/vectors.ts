// Plain loops: `Float32Array.from`, `map` and `reduce` with a function take five times as long
// (measured).

/** Divides a vector by its L2 norm; a zero vector is unchanged. */
export function normalizeL2(vector: Float32Array): Float32Array {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) * (vector[at] ?? 0);
  return squares === 0 ? vector : divided(vector, Math.sqrt(squares));
}

/** Mean of the first `rows` rows of a matrix in row-major order. */
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
