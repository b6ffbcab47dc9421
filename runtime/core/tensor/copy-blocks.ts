/** Blocks of `length` elements, the first at `at` and each `step` after the one before. */
export interface Blocks {
  readonly data: Float32Array;
  readonly at: number;
  readonly step: number;
}

/** Copies so many blocks from one place to another. */
export function copyBlocks(to: Blocks, from: Blocks, length: number, count: number): void {
  for (let block = 0; block < count; block++) {
    const target = to.at + block * to.step;
    const source = from.at + block * from.step;
    // Blocks are mostly short, for which a view of each would take longer than to copy them.
    for (let i = 0; i < length; i++) to.data[target + i] = from.data[source + i] ?? 0;
  }
}
