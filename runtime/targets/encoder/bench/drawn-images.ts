import type { ImageSize } from '#contract/image-recipe.ts';
import { configError } from '#contract/errors.ts';
import { drawnImage } from '#core/images/drawn-image.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { encodeRgbPng } from '#platform/images/encode-png.ts';

/** Sizes of images to measure. Larger images need more time to decode and resize. */
const SIZES: readonly ImageSize[] = [
  { width: 320, height: 240 },
  { width: 640, height: 480 },
  { width: 1280, height: 960 },
];
/** The numbers of the images to draw: several, so that requests do not all contain the same image. */
const NUMBERS = [1, 2, 3];

/** The sizes that the server accepts. */
export function imageSizes({ pixels }: ImageLimits): ImageSize[] {
  const sizes = SIZES.filter(({ width, height }) => width * height <= pixels);
  if (sizes.length > 0) return sizes;
  throw configError(
    `Images can have at most ${pixels} pixels, but the smallest that bench draws has ${sizeText(SIZES[0])}. Increase --max-image-pixels, or pass images with --input.`,
  );
}

/** PNG files of drawn images. */
export function drawnFiles(size: ImageSize, { bytes }: ImageLimits): Uint8Array[] {
  const files = NUMBERS.map((number) => encodeRgbPng(drawnImage(number, size)));
  const tooLarge = files.find(({ length }) => length > bytes);
  if (!tooLarge) return files;
  throw configError(
    `Images can have at most ${bytes} bytes, but one that bench draws with ${sizeText(size)} pixels has ${tooLarge.length}. Increase --max-image-bytes, or pass images with --input.`,
  );
}

export const sizeText = (size: ImageSize | undefined): string =>
  size === undefined ? '' : `${size.width} x ${size.height}`;
