/** Softmax of one row, numerically stable for large values. */
export function softmax(row: Float32Array): Float32Array {
  const max = row.reduce((a, b) => Math.max(a, b), -Infinity);
  const exps = Float64Array.from(row, (value) => Math.exp(value - max));
  const sum = exps.reduce((a, b) => a + b, 0);
  return Float32Array.from(exps, (value) => value / sum);
}

/** Sigmoid of each value, for models whose labels are not mutually exclusive. */
export function sigmoid(row: Float32Array): Float32Array {
  return row.map((value) => 1 / (1 + Math.exp(-value)));
}
