import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';

/** Memory for a pixel while an image is decoded: a PNG file with 16 bits per value needs the most. */
const BYTES_PER_PIXEL = 20;
/** Maximum share of the memory for images that are decoded at the same time. */
const SHARE = 0.5;

/** The largest images for which the memory suffices if each of these threads decodes one. */
export const imageLimits = (memoryBytes: number, threads: number): ImageLimits => ({
  bytes: DEFAULT_IMAGE_LIMITS.bytes,
  pixels: Math.min(
    DEFAULT_IMAGE_LIMITS.pixels,
    Math.floor((memoryBytes * SHARE) / (threads * BYTES_PER_PIXEL)),
  ),
});
