/** Softmax of one row, numerically stable for large values. */
export function softmax(row: Float32Array): Float32Array {
  const { length } = row;
  let max = -Infinity;
  for (let at = 0; at < length; at++) max = Math.max(max, row[at] ?? 0);
  const exps = new Float64Array(length);
  let sum = 0;
  for (let at = 0; at < length; at++) sum += exps[at] = Math.exp((row[at] ?? 0) - max);
  const scores = new Float32Array(length);
  for (let at = 0; at < length; at++) scores[at] = (exps[at] ?? 0) / sum;
  return scores;
}

/** Sigmoid of each value, for models whose labels are not mutually exclusive. */
export function sigmoid(row: Float32Array): Float32Array {
  return row.map((value) => 1 / (1 + Math.exp(-value)));
}
