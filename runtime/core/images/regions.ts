import type { ImageSize } from '#contract/image-recipe.ts';

/** A rectangle of pixels. */
export interface Region extends ImageSize {
  readonly left: number;
  readonly top: number;
}

/** A part of an image, with fractions of pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
