/** Values of a whole padded batch, and the size of each axis. */
export interface RawOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** The part of a batch's output that belongs to one text: all of its row, or that row's first `length` positions. */
export function rowOf({ data, dims }: RawOutput, row: number, length: number): Float32Array {
  const [, second = 0, width] = dims;
  if (width === undefined) return data.subarray(row * second, (row + 1) * second);
  const start = row * second * width;
  return data.subarray(start, start + length * width);
}

/** The same part as a batch of one text. */
export function shapeOfRow({ dims }: RawOutput, length: number): number[] {
  const [, second = 0, width] = dims;
  return width === undefined ? [1, second] : [1, length, width];
}
