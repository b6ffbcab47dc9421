import type { Similarity } from './sentence.ts';

/**
 * How the logits of a text's tokens become one value per vocabulary word (SPLADE). With `none`, the
 * model's graph does this itself.
 */
export const SPARSE_POOLINGS = ['max', 'sum', 'none'] as const;
/** Applied to each logit, followed by a logarithm; `log1p_relu` applies a second logarithm. */
export const SPARSE_ACTIVATIONS = ['relu', 'log1p_relu'] as const;

/** The manifest's settings for sparse_embedding models. */
export interface SparseSettings {
  readonly pooling: (typeof SPARSE_POOLINGS)[number];
  readonly activation: (typeof SPARSE_ACTIVATIONS)[number];
  readonly similarity: Similarity;
}
