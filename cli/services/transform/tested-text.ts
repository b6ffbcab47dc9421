import type { Tensor } from '#core/tensor/tensor.ts';
import type { Transformed } from '#transform/transform.ts';

/** A text, with the tensors before and after the transform. */
export interface TestedText {
  /** The text, including the prompt that is prepended to it. */
  readonly text: string;
  readonly tokens: readonly string[];
  readonly input: Tensor;
  /** The second argument of `Postprocess`, if there is one. */
  readonly mask: Tensor | undefined;
  readonly output: Transformed;
}
