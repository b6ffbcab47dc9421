import { type ModelType, vectorKind } from '#contract/model-types.ts';
import type { Tensor } from '#core/tensor/tensor.ts';

/**
 * Returns the arguments of `Postprocess`: the output for one text and, if its tokens are to be pooled, their mask. The first
 * `skip` tokens are masked out.
 */
export function transformInputs(modelType: ModelType, output: Tensor, skip = 0): Tensor[] {
  const [texts = 1, tokens = 0, width] = output.shape;
  if (vectorKind(modelType) !== 'text' || width === undefined) return [output];
  const mask = new Float32Array(texts * tokens).fill(1);
  // Texts are passed one at a time and without padding.
  mask.fill(0, 0, skip);
  return [output, { data: mask, shape: [texts, tokens] }];
}
