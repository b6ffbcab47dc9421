import type { ModelType } from '#contract/model-types.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import { checkResult, type ResultKind } from './check-result.ts';
import { transformInputs } from './transform-inputs.ts';
import type { Transform } from './transform.ts';

/** The result of a transform for one text. */
export interface Transformed extends Tensor {
  readonly kind: ResultKind;
}

/** Runs a transform on the output for one text and validates its result. */
export function transformRow(
  transform: Transform,
  modelType: ModelType,
  output: Tensor,
  skip?: number,
): Transformed {
  const result = transform.apply(transformInputs(modelType, output, skip));
  return { ...result, kind: checkResult(modelType, output.shape, result) };
}
