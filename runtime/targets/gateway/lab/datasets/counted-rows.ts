/** How many rows of a dataset count, where `maxSamples` is how many at most; -1 for all. */
export const countedRows = (rowCount: number, maxSamples: number): number =>
  maxSamples < 0 ? rowCount : Math.min(rowCount, maxSamples);
