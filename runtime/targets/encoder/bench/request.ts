import type { Manifest } from '#contract/manifest.ts';
import { hasMixedInputs } from '#contract/model-types.ts';
import { SERVED } from '../served/index.ts';
import type { PredictBody } from '../served/served-type.ts';

/** A text, or the file of an image. */
export type BenchInput = string | Uint8Array;

/**
 * A `/predict` request with one text or image and any other fields that the model type requires. An image is
 * in base64, as in JSON, because its decoding belongs to a request.
 */
export function benchRequest(manifest: Manifest, input: BenchInput): PredictBody {
  const { modelType } = manifest;
  const text = typeof input === 'string' ? input : Buffer.from(input).toString('base64');
  const isObject = typeof input !== 'string' && hasMixedInputs(modelType);
  return {
    inputs: [isObject ? { image: text } : text],
    ...SERVED[modelType].bench?.(text, manifest),
  };
}
