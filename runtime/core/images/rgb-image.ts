import type { ImageSize } from '#contract/image-recipe.ts';

/** An image with 8 bits for each of red, green and blue, row by row from the top. */
export interface RgbImage extends ImageSize {
  readonly pixels: Uint8Array;
}

/** Number of bytes per pixel. */
export const RGB = 3;

/** An image whose file states how opaque each pixel is, from 0 to 255. */
export interface TransparentImage extends RgbImage {
  /** One byte per pixel; undefined if all pixels are opaque. */
  readonly alpha: Uint8Array | undefined;
}
