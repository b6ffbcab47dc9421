import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { ImageSize } from '#contract/image-recipe.ts';

/** The values of an output for a whole padded batch, with the size of each axis. */
export interface RawOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Outputs with one row per token, in addition to the output with text vectors. */
export type TokenRows<Values> = Partial<Readonly<Record<TokenOutputName, Values>>>;

/** The reason why there is no result for an input. */
export interface FailedInference {
  readonly failure: string;
  /** Whether the input is at fault and not the model, so that the caller can correct it. */
  readonly isInput?: true;
}

/** All required outputs of a padded batch. */
export interface BatchOutput extends RawOutput {
  /** The inputs of the batch that could not be read, by row; undefined if there are none. */
  readonly failed?: readonly (FailedInference | undefined)[] | undefined;
  readonly tokenOutputs?: TokenRows<RawOutput> | undefined;
  /** The size of each image in its file, by row; undefined for models that read texts. */
  readonly imageSizes?: readonly (ImageSize | undefined)[] | undefined;
}

/** Returns one text's part of the token outputs for a batch. */
export const tokenRowsOf = (
  { tokenOutputs }: BatchOutput,
  row: number,
  length: number,
): TokenRows<Float32Array> | undefined =>
  tokenOutputs &&
  Object.fromEntries(
    Object.entries(tokenOutputs).map(([name, output]) => [name, rowOf(output, row, length)]),
  );

/**
 * Returns one text's part of the output for a batch: its whole row, or at most the row's first
 * `length` positions.
 */
export function rowOf({ data, dims }: RawOutput, row: number, length: number): Float32Array {
  const [, second = 0, ...rest] = dims;
  if (rest.length === 0) return data.subarray(row * second, (row + 1) * second);
  const width = rest.reduce((product, size) => product * size);
  const start = row * second * width;
  return data.subarray(start, start + Math.min(length, second) * width);
}

/** Returns the shape of one text's part, as a batch of one text. */
export function shapeOfRow({ dims }: RawOutput, length: number): number[] {
  const [, second = 0, ...rest] = dims;
  return rest.length === 0 ? [1, second] : [1, Math.min(length, second), ...rest];
}
