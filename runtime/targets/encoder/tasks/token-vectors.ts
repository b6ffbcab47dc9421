import type { Manifest } from '#contract/manifest.ts';
import { finiteOutput } from './finite-output.ts';
import type { Inference } from './task.ts';
import { vectorsOf } from './vectors-of.ts';

/** Returns the vectors of all tokens of a text, special tokens included. */
export function tokenVectors(inference: Inference, manifest: Manifest): Float32Array[] {
  const { values, width } = vectorsOf(inference, manifest);
  return Array.from({ length: values.length / width }, (_, row) =>
    finiteOutput(values.subarray(row * width, (row + 1) * width), manifest),
  );
}
