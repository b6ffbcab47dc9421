import type { CenterCrop } from '#contract/image-recipe.ts';
import { roundHalfToEven } from './round-half-to-even.ts';

/** How one axis of an image is placed in an axis of the cropped image. */
export interface CropPosition {
  /** The first pixel of the image that is used. */
  readonly from: number;
  /** The position of this pixel in the cropped image. */
  readonly to: number;
  /** Number of pixels that are used. */
  readonly count: number;
}

/** Centers `size` pixels in `cropped` pixels, with the rounding of one of the libraries. */
export function cropPosition(size: number, cropped: number, rounding: CenterCrop['rounding']): CropPosition {
  const extra = (size - cropped) / 2;
  if (extra >= 0) {
    const from = rounding === 'transformers' ? Math.floor(extra) : roundHalfToEven(extra);
    return { from, to: 0, count: cropped };
  }
  const to = rounding === 'transformers' ? Math.ceil(-extra) : Math.floor(-extra);
  return { from: 0, to, count: size };
}
