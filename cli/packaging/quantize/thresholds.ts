import type { QuantizationAccuracy } from '#contract/quantization.ts';
import { cosineText } from '#core/model/quantization-facts.ts';

/** The accuracy that a quantized model must have. */
export interface Thresholds {
  /** Of vectors: the mean cosine to those of the original. */
  readonly minCosine: number;
  /** Of labels: the share that stays the same. */
  readonly minAgreement: number;
}

/** Why a quantized model is not accurate enough, with the number; undefined if it is. */
export function reasonAgainst(
  { cosine, agreement }: QuantizationAccuracy,
  { minCosine, minAgreement }: Thresholds,
): string | undefined {
  // Not a number fails, too.
  if (cosine && !(cosine.mean >= minCosine))
    return `the mean cosine to float32 is ${cosineText(cosine.mean)}, below \`min_cosine\` (${minCosine})`;
  if (agreement !== undefined && !(agreement >= minAgreement))
    return `${(agreement * 100).toFixed(1)}% of the labels agree with float32, below \`min_agreement\` (${minAgreement})`;
  return undefined;
}
