import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { requiredNumber, withEnvironment } from '#serve/cli/values.ts';

/** Options of models that read images, for `serve`, `mcp`, `bench` and `infer`. */
export const IMAGE_OPTIONS = withEnvironment('ENCODERFILE', {
  'max-image-bytes': {
    value: 'bytes',
    help: 'Maximum size of an image file in bytes, if the model reads images',
    fallback: String(DEFAULT_IMAGE_LIMITS.bytes),
  },
  'max-image-pixels': {
    value: 'count',
    help: 'Maximum pixels of an image, if the model reads images; lower if memory is limited',
    fallback: String(DEFAULT_IMAGE_LIMITS.pixels),
  },
});

const LARGEST = { min: 1, max: 1_000_000_000 };

/** Reads the limits of images. */
export const readImageLimits = (invocation: Invocation): ImageLimits => ({
  bytes: requiredNumber(invocation, 'max-image-bytes', LARGEST),
  pixels: requiredNumber(invocation, 'max-image-pixels', LARGEST),
});
