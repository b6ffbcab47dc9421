/** Settings of a build. */
export const QUANTIZE_FORMS = ['none', 'int8', 'auto'] as const;
export type QuantizeForm = (typeof QUANTIZE_FORMS)[number];

/** How near the results of a quantized model are to those of the original on texts that were not used for the quantization. */
export interface QuantizationAccuracy {
  /** Number of texts that were compared. */
  readonly texts: number;
  /** Of vectors: cosine to the original. */
  readonly cosine?: { readonly mean: number; readonly worst: number };
  /** The share of each text's ten nearest texts that stay among them. */
  readonly neighbors?: number;
  /** Of labels: the share that stays the same. Of single scores: the share of pairs of texts that keep their order. */
  readonly agreement?: number;
  /** Of scores: the largest difference. */
  readonly scoreDifference?: number;
}

/** How a model was quantized: a part of the manifest. */
export interface Quantization {
  readonly form: 'int8';
  /** Number of matrix products, and how many of them are computed with integers. */
  readonly products: number;
  readonly quantized: number;
  /** Products that stay in float32, because the results depend on them most. */
  readonly kept?: readonly string[];
  readonly accuracy: QuantizationAccuracy;
}
