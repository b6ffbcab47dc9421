import type { Manifest } from '../../../contract/manifest.ts';
import type { Inference } from './task.ts';

/** The vectors of a text's tokens, special ones included, row after row: the model's own, or what its transform made of them. */
export function vectorsOf(
  { values, transformed }: Inference,
  { width }: Manifest,
): { values: Float32Array; width: number } {
  if (!transformed) return { values, width };
  return { values: transformed.data, width: transformed.shape.at(-1) ?? width };
}
