import type { TokenOutputName } from '#contract/embedding-outputs.ts';

/** Values of a whole padded batch, with the size of each axis. */
export interface RawOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Outputs with one row per token, next to the one with text vectors. */
export type TokenRows<Values> = Partial<Readonly<Record<TokenOutputName, Values>>>;

/** All required outputs of a padded batch. */
export interface BatchOutput extends RawOutput {
  readonly tokenOutputs?: TokenRows<RawOutput> | undefined;
}

/** One text's part of a batch's token outputs. */
export const tokenRowsOf = (
  { tokenOutputs }: BatchOutput,
  row: number,
  length: number,
): TokenRows<Float32Array> | undefined =>
  tokenOutputs &&
  Object.fromEntries(
    Object.entries(tokenOutputs).map(([name, output]) => [name, rowOf(output, row, length)]),
  );

/** One text's part of a batch's output: its whole row, or at most the first `length` positions of it. */
export function rowOf({ data, dims }: RawOutput, row: number, length: number): Float32Array {
  const [, second = 0, ...rest] = dims;
  if (rest.length === 0) return data.subarray(row * second, (row + 1) * second);
  const width = rest.reduce((product, size) => product * size);
  const start = row * second * width;
  return data.subarray(start, start + Math.min(length, second) * width);
}

/** The shape of that part as a batch of one text. */
export function shapeOfRow({ dims }: RawOutput, length: number): number[] {
  const [, second = 0, ...rest] = dims;
  return rest.length === 0 ? [1, second] : [1, Math.min(length, second), ...rest];
}
