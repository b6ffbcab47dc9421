/** Quantization settings of a build. */
export const QUANTIZE_FORMS = ['none', 'int8', 'auto'] as const;
export type QuantizeForm = (typeof QUANTIZE_FORMS)[number];

/**
 * How close a quantized model's results are to the original ones, on texts that were not used for
 * quantization.
 */
export interface QuantizationAccuracy {
  /** Number of texts that were compared. */
  readonly texts: number;
  /** For vectors: cosine similarity to the original. */
  readonly cosine?: { readonly mean: number; readonly worst: number };
  /** The share of each text's ten nearest texts that are still among its nearest. */
  readonly neighbors?: number;
  /**
   * For labels: the share that stays the same. For single scores: the share of text pairs that keep
   * their order.
   */
  readonly agreement?: number;
  /** For scores: the largest difference. */
  readonly scoreDifference?: number;
}

/** How a model was quantized: a part of the manifest. */
export interface Quantization {
  readonly form: 'int8';
  /** Number of matrix products, and how many of them use integers. */
  readonly products: number;
  readonly quantized: number;
  /** Products that stay in float32, because they affect the results most. */
  readonly kept?: readonly string[];
  readonly accuracy: QuantizationAccuracy;
}
