import type { Similarity } from './sentence.ts';

/**
 * How the logits of a text's tokens are pooled to one value per vocabulary word (SPLADE). With
 * `none`, the model's graph contains the pooling.
 */
export const SPARSE_POOLINGS = ['max', 'sum', 'none'] as const;
/** Function that is applied to each logit before a logarithm. `log1p_relu` includes another logarithm. */
export const SPARSE_ACTIVATIONS = ['relu', 'log1p_relu'] as const;

/** The manifest's settings for sparse_embedding models. */
export interface SparseSettings {
  readonly pooling: (typeof SPARSE_POOLINGS)[number];
  readonly activation: (typeof SPARSE_ACTIVATIONS)[number];
  readonly similarity: Similarity;
  /**
   * `table` if the values of a query are weights of its tokens, which the section `layers` contains;
   * undefined if the model runs on queries as it does on documents.
   */
  readonly queries?: 'table';
}
