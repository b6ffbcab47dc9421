import type { Tensor } from '../../../runtime/core/tensor/tensor.ts';
import type { Transformed } from '../../../runtime/transform/transform-row.ts';

/** A text, and the tensors before and after its transform. */
export interface TestedText {
  /** With the prompt that the model puts before it. */
  readonly text: string;
  readonly tokens: readonly string[];
  readonly input: Tensor;
  /** What `Postprocess` got as its second argument. */
  readonly mask: Tensor | undefined;
  readonly output: Transformed;
}
