/** Number of rows of a dataset that are used. `maxSamples` is the maximum; -1 for all. */
export const sampleSize = (rowCount: number, maxSamples: number): number =>
  maxSamples < 0 ? rowCount : Math.min(rowCount, maxSamples);
