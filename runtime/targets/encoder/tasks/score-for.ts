import { AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { joinRows, maxSim, type VectorRows } from '../math/max-sim.ts';
import { keptVectors } from './multi-vector.ts';
import type { Inference } from './task.ts';

/** The score of a document of a multi_vector model for a query. */
export function scoreFor(query: VectorRows, inference: Inference, manifest: Manifest): number {
  const vectors = keptVectors(inference, manifest, { normalize: manifest.multiVector?.normalize ?? false });
  const width = vectors[0]?.length ?? query.width;
  if (width !== query.width) {
    throw new AppError(
      'InternalError',
      `The transform returned vectors of ${query.width} dimensions for the query and of ${width} for a document. Return the same number for all texts.`,
    );
  }
  return shortestFloat32(Math.fround(maxSim(query, joinRows(vectors))));
}
