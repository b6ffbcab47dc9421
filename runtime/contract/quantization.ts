/** Values of the build setting for quantization. */
export const QUANTIZE_FORMS = ['none', 'int8', 'bf16', 'auto'] as const;
export type QuantizeForm = (typeof QUANTIZE_FORMS)[number];

/**
 * How close a quantized model's results are to the original ones, measured with texts that were not
 * used for quantization.
 */
export interface QuantizationAccuracy {
  /** Number of texts that were compared. */
  readonly texts: number;
  /** For vectors: cosine similarity to the original. */
  readonly cosine?: { readonly mean: number; readonly worst: number };
  /** The average share of a text's ten nearest texts that remain among its ten nearest texts. */
  readonly neighbors?: number;
  /**
   * For labels: the share of labels that stay the same. For single scores: the share of text pairs
   * that keep their order.
   */
  readonly agreement?: number;
  /** For scores: the largest difference from the original score. */
  readonly scoreDifference?: number;
}

/** The manifest's facts about how a model was quantized. */
export interface Quantization {
  /**
   * int8: with integers. bf16: both factors of a product are rounded to bfloat16, but only on arm64
   * CPUs that have instructions for it; weights stay in float32.
   */
  readonly form: 'int8' | 'bf16';
  /** Number of matrix multiplications, and the number of those that use this form. */
  readonly products: number;
  readonly quantized: number;
  /** Matrix multiplications that stay in float32, because they affect the results most. */
  readonly kept?: readonly string[];
  readonly accuracy: QuantizationAccuracy;
}
