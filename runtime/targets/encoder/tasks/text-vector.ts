import type { Manifest } from '#contract/manifest.ts';
import { applyLayers } from '../math/layers.ts';
import { meanOfWindows } from '../math/mean-of-windows.ts';
import { poolRows } from '#core/vectors/pooling.ts';
import { normalizeL2 } from '#core/vectors/vectors.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import { finiteOutput } from './finite-output.ts';
import type { Inference } from './task.ts';
import { vectorsOf } from './vectors-of.ts';

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
