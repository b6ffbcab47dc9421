import type { Tensor } from '#core/tensor/tensor.ts';
import type { Transformed } from '#transform/transform.ts';

/** A text with the tensors before and after its transform. */
export interface TestedText {
  /** The text, including the prompt that the model puts before it. */
  readonly text: string;
  readonly tokens: readonly string[];
  readonly input: Tensor;
  /** The second argument of `Postprocess`, if it has one. */
  readonly mask: Tensor | undefined;
  readonly output: Transformed;
}
