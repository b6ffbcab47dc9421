import { AppError } from '#contract/errors.ts';
import { findNotFinite, placeOf } from '#core/numbers/finite.ts';
import { describeShape } from '#core/tensor/shape.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import type { TransformScript } from './transform-script.ts';

/** Throws an InternalError with the script and the position if the result contains a number that JSON cannot represent. */
export function checkFinite({ data, shape }: Tensor, { name }: Pick<TransformScript, 'name'>): void {
  const index = findNotFinite(data);
  if (index === undefined) return;
  throw new AppError(
    'InternalError',
    `The transform failed: ${name}: Postprocess returned ${data[index]} at ${describeShape(placeOf(index, shape))}; ` +
      'results must be finite numbers. Check divisions by 0, logarithms and roots',
  );
}
