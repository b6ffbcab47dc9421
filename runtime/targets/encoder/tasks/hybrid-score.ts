import type { EmbeddingOutput } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { joinRows, maxSim, type VectorRows } from '../math/max-sim.ts';
import { sparseDot, type ReadVector } from '../math/sparse.ts';
import { type Inference, textVector } from '../math/inference.ts';
import { sparseOutput, vectorsOutput } from './sentence-embedding.ts';

/** The weight of each output in a score. Outputs without a weight are ignored. */
export type OutputWeights = Partial<Readonly<Record<EmbeddingOutput, number>>>;

/** A query for scoring documents, with the outputs that have a weight. */
export interface HybridQuery {
  readonly weights: OutputWeights;
  readonly outputs: readonly EmbeddingOutput[];
  readonly dense?: VectorRows | undefined;
  readonly sparse?: ReadVector | undefined;
  readonly multiVector?: VectorRows | undefined;
}

/**
 * The score of a document: the weighted mean of the scores for each output, as in FlagEmbedding.
 * For dense and sparse vectors, the score is the dot product. For token vectors, it is the mean,
 * over the query's vectors, of the largest dot product with one of the document's vectors.
 */
export function hybridScore(query: HybridQuery, inference: Inference, manifest: Manifest): number {
  const scores: Record<EmbeddingOutput, () => number> = {
    dense: () => maxSim(orNone(query.dense), joinRows([textVector(inference, manifest, NORMALIZED)])),
    sparse: () => sparseDot(query.sparse, sparseOutput(inference, manifest, {})),
    multi_vector: () => {
      const { values, width } = orNone(query.multiVector);
      const document = joinRows(vectorsOutput(inference, manifest, NORMALIZED));
      return values.length === 0 ? 0 : maxSim({ values, width }, document) / (values.length / width);
    },
  };
  let [sum, total] = [0, 0];
  for (const output of query.outputs) {
    const weight = query.weights[output] ?? 0;
    sum += weight * scores[output]();
    total += weight;
  }
  return shortestFloat32(Math.fround(sum / total));
}

const NORMALIZED = { normalize: true };

const orNone = (found: VectorRows | undefined): VectorRows =>
  found ?? { values: new Float32Array(), width: 1 };
