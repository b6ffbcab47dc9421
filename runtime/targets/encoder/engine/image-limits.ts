import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';

/** Memory for a pixel while an image is decoded: a PNG file with 16 bits per value needs the most. */
const BYTES_PER_PIXEL = 20;
/** Maximum share of the memory for images that are decoded at the same time. */
const SHARE = 0.5;

/** The allowed images, or only smaller ones if the memory does not suffice for one in each of these threads. */
export const imageLimits = (
  memoryBytes: number,
  threads: number,
  { bytes, pixels }: ImageLimits = DEFAULT_IMAGE_LIMITS,
): ImageLimits => ({
  bytes,
  pixels: Math.min(pixels, Math.floor((memoryBytes * SHARE) / (threads * BYTES_PER_PIXEL))),
});
