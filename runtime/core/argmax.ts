/** Index of the first greatest value. */
export function argmax(row: Float32Array): number {
  let best = 0;
  for (let index = 1; index < row.length; index++) if ((row[index] ?? 0) > (row[best] ?? 0)) best = index;
  return best;
}
