import type { LayerSettings } from '#contract/sentence.ts';

/**
 * Number of float32 values that a layer has in the section `layers`: the matrix, row by row, or the
 * scale; then the bias.
 */
export function countWeights(layer: LayerSettings): number {
  if (layer.kind === 'dense') return layer.outputs * (layer.inputs + Number(layer.bias));
  return layer.kind === 'layer_norm' ? 2 * layer.width : 0;
}
