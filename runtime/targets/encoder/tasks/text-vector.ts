import type { Manifest } from '#contract/manifest.ts';
import { applyLayers } from '../math/layers.ts';
import { meanOfWindows } from '../math/mean-of-windows.ts';
import { poolRows } from '#core/vectors/pooling.ts';
import { normalizeL2 } from '#core/vectors/vectors.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import { finiteOutput, type Inference } from './task.ts';

/** Returns one vector for a text with the model's pooling; embedding models without a pooling setting use the mean. */
export function textVector(inference: Inference, manifest: Manifest, options: VectorOptions): Float32Array {
  const { normalize, dimensions, skip } = options;
  if (inference.windows) {
    const mean = meanOfWindows(
      inference.windows.map((window, at) => ({
        // Only the first window has the prompt, whose tokens are skipped.
        vector: textVector(window, manifest, { dimensions, skip: at === 0 ? skip : undefined }),
        weight: window.text.weight ?? 0,
      })),
    );
    return normalize ? normalizeL2(mean) : mean;
  }
  const { values, width } = vectorsOf(inference, manifest);
  // The transform of a sentence_embedding model has already pooled.
  const pooling =
    inference.transformed && manifest.sentence ? 'none' : (manifest.sentence?.pooling ?? 'mean');
  const pooled = applyLayers(poolRows(values, width, pooling, skip), inference.layers ?? []);
  const vector = finiteOutput(pooled.subarray(0, dimensions), manifest);
  return normalize ? normalizeL2(vector) : vector;
}

/** Returns the vectors of all tokens of a text, special tokens included. */
export function tokenVectors(inference: Inference, manifest: Manifest): Float32Array[] {
  const { values, width } = vectorsOf(inference, manifest);
  return Array.from({ length: values.length / width }, (_, row) =>
    finiteOutput(values.subarray(row * width, (row + 1) * width), manifest),
  );
}

/** Returns the vectors of a text's tokens, special tokens included, row by row: from the model, or from its transform. */
export function vectorsOf(
  { values, transformed }: Inference,
  { width }: Manifest,
): { values: Float32Array; width: number } {
  if (!transformed) return { values, width };
  return { values: transformed.data, width: transformed.shape.at(-1) ?? width };
}
