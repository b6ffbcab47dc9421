import type { Manifest } from '#contract/manifest.ts';
import type { QuantizationAccuracy } from '#contract/quantization.ts';

/** Rows of a table about the quantization of a model; none if it was not quantized. */
export function quantizationFacts({ quantization }: Manifest): [string, string][] {
  if (!quantization) return [];
  const { form, products, quantized, kept = [], accuracy } = quantization;
  return [
    ['Quantized', `${form}, ${quantized} of ${products} matrix products`],
    ...(kept.length === 0 ? [] : [['Kept', `${kept.join(', ')}: float32`] satisfies [string, string]]),
    ['Accuracy', accuracyText(accuracy)],
  ];
}

/** How near a quantized model is to float32, in one line. */
export function accuracyText(accuracy: QuantizationAccuracy): string {
  const { texts, cosine, neighbors, agreement, scoreDifference } = accuracy;
  const parts = [
    ...(cosine ? [`cosine to float32 ${cosineText(cosine.mean)}, lowest ${cosineText(cosine.worst)}`] : []),
    ...(neighbors === undefined ? [] : [`${percent(neighbors)} of nearest texts kept`]),
    ...(agreement === undefined ? [] : [`${percent(agreement)} of results agree with float32`]),
    ...(scoreDifference === undefined ? [] : [`largest difference of scores ${scoreDifference.toFixed(3)}`]),
  ];
  return `${parts.join(', ')} (${texts} texts)`;
}

/** A cosine with four digits. It is rounded down, so that it is 1 only for equal directions. */
export const cosineText = (cosine: number): string => (Math.floor(cosine * 1e4) / 1e4).toFixed(4);

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
