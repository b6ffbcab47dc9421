import type { EmbeddingOutput } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { Similarity } from '#contract/sentence.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { joinRows, maxSim, type VectorRows } from '../math/max-sim.ts';
import { sparseDot, type ReadVector } from '../math/sparse.ts';
import { type Inference, textVector } from '../math/inference.ts';
import { similarityOf } from '../math/similarity.ts';
import { sparseOutput, vectorsOutput } from './sentence-embedding.ts';

/** The weight of each output in a score. Outputs without a weight are ignored. */
export type OutputWeights = Partial<Readonly<Record<EmbeddingOutput, number>>>;

/** A query for scoring documents, with the outputs that have a weight. */
export interface HybridQuery {
  readonly weights: OutputWeights;
  /** How dense vectors are compared. */
  readonly similarity: Similarity;
  /** How the dense vector of a document is computed. */
  readonly vector: VectorOptions;
  readonly outputs: readonly EmbeddingOutput[];
  readonly dense?: VectorRows | undefined;
  readonly sparse?: ReadVector | undefined;
  readonly multiVector?: VectorRows | undefined;
}

/**
 * The score of a document: the weighted mean of the scores for each output, as in FlagEmbedding.
 * For dense vectors, the score is their similarity. For sparse vectors, it is the dot product. For token
 * vectors, it is the mean, over the query's vectors, of the largest dot product with one of the
 * document's vectors.
 */
export function hybridScore(query: HybridQuery, inference: Inference, manifest: Manifest): number {
  const scores: Record<EmbeddingOutput, () => number> = {
    dense: () => denseScore(query, textVector(inference, manifest, query.vector)),
    sparse: () => sparseDot(query.sparse, sparseOutput(inference, manifest, {})),
    multi_vector: () => {
      const { values, width } = orNone(query.multiVector);
      const document = joinRows(vectorsOutput(inference, manifest, query.vector));
      return values.length === 0 ? 0 : maxSim({ values, width }, document) / (values.length / width);
    },
  };
  let [sum, total] = [0, 0];
  for (const output of query.outputs) {
    const weight = query.weights[output] ?? 0;
    sum += weight * scores[output]();
    total += weight;
  }
  return rounded(sum / total);
}

/** The score of a document whose vector is already known, by dense vectors only. */
export const scoreOfVector = (query: HybridQuery, vector: Float32Array): number =>
  rounded(denseScore(query, vector));

const denseScore = ({ similarity, dense }: HybridQuery, vector: Float32Array): number =>
  similarityOf(similarity, orNone(dense).values, vector);

const rounded = (score: number): number => shortestFloat32(Math.fround(score));

const orNone = (found: VectorRows | undefined): VectorRows =>
  found ?? { values: new Float32Array(), width: 1 };
