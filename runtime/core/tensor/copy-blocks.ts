/** Blocks of elements: the first at `at`, each `step` after the previous one. */
export interface Blocks {
  readonly data: Float32Array;
  readonly at: number;
  readonly step: number;
}

/** Copies `count` blocks of `length` elements. */
export function copyBlocks(to: Blocks, from: Blocks, length: number, count: number): void {
  for (let block = 0; block < count; block++) {
    const target = to.at + block * to.step;
    const source = from.at + block * from.step;
    // Most blocks are short, for which creating views would take longer than copying.
    for (let i = 0; i < length; i++) to.data[target + i] = from.data[source + i] ?? 0;
  }
}
