import type { Manifest } from '#contract/manifest.ts';
import type { Inference } from './task.ts';

/** Returns the vectors of a text's tokens, special tokens included, row by row: from the model, or from its transform. */
export function vectorsOf(
  { values, transformed }: Inference,
  { width }: Manifest,
): { values: Float32Array; width: number } {
  if (!transformed) return { values, width };
  return { values: transformed.data, width: transformed.shape.at(-1) ?? width };
}
