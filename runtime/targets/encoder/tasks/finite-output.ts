import { AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { findNotFinite } from '#core/numbers/finite.ts';

/** Returns the values unchanged. Throws an InternalError if the model returned NaN or infinity, which JSON cannot represent. */
export function finiteOutput(values: Float32Array, { output }: Pick<Manifest, 'output'>): Float32Array {
  const index = findNotFinite(values);
  if (index === undefined) return values;
  throw new AppError(
    'InternalError',
    `The model failed: output \`${output}\` contains ${values[index]}, but results must be finite numbers. ` +
      'Export the model with a higher precision, such as float32.',
  );
}
