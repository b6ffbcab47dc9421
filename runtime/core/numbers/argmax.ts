/** Returns the index of the first maximum. */
export function argmax(row: Float32Array): number {
  let best = 0;
  for (let index = 1; index < row.length; index++) if ((row[index] ?? 0) > (row[best] ?? 0)) best = index;
  return best;
}
