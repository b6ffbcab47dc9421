import { AppError } from '../../../contract/errors.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { findNotFinite } from '../../../core/finite.ts';

/** Returns the values unchanged. Throws an InternalError if the model returned NaN or infinity: JSON has only null for them. */
export function finiteOutput(values: Float32Array, { output }: Pick<Manifest, 'output'>): Float32Array {
  const index = findNotFinite(values);
  if (index === undefined) return values;
  throw new AppError(
    'InternalError',
    `The model failed: its output \`${output}\` contains ${values[index]} for a text, and results must be finite numbers. ` +
      'A model of higher precision, such as float32, may work.',
  );
}
