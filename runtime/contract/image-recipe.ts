/** Filters that compute the pixels of a resized image, named as in Pillow. @internal Exported for tests only. */
export const RESAMPLE_FILTERS = ['nearest', 'lanczos', 'bilinear', 'bicubic', 'box', 'hamming'] as const;
export type ResampleFilter = (typeof RESAMPLE_FILTERS)[number];

export interface ImageSize {
  readonly height: number;
  readonly width: number;
}

/** The size to which an image is resized, in pixels. */
export type ResizeTarget =
  /** This size, whatever the aspect ratio of the image is. */
  | ({ readonly kind: 'exact' } & ImageSize)
  /** The shorter side gets this size, and the aspect ratio stays the same. */
  | { readonly kind: 'shortest_edge'; readonly size: number }
  /**
   * The shorter side gets the size `shortest`, or less if the longer side would be longer than `longest`. Both
   * sides are then reduced to a multiple of `multipleOf`.
   */
  | {
      readonly kind: 'edges';
      readonly shortest: number;
      readonly longest: number;
      readonly multipleOf?: number;
    }
  /** The largest size within a rectangle that keeps the aspect ratio. */
  | ({ readonly kind: 'within' } & ImageSize)
  /**
   * The aspect ratio stays the same, and the image covers (`cover`) or fits into (`fit`) a rectangle. Sizes
   * are rounded to the nearest number.
   */
  | ({ readonly kind: 'cover' | 'fit' } & ImageSize);

/**
 * Cuts the middle of an image. Along a side that is shorter than the result, the image is centered, and
 * `fill` is the color around it.
 */
export interface CenterCrop extends ImageSize {
  /** Which library's rounding determines the position if the number of pixels to cut or to add is odd. */
  readonly rounding: 'transformers' | 'torchvision';
  /** Red, green and blue, from 0 to 255. */
  readonly fill: readonly [number, number, number];
}

/** One number for each of red, green and blue. */
export type PerChannel = readonly [number, number, number];

/** A step that computes each value of the tensor from the value of one pixel in one channel. */
export type ValueStep =
  /** Multiplies by a factor in 64 bits, rounds to 32 bits, and adds an offset. */
  | { readonly kind: 'rescale'; readonly factor: number; readonly offset: number }
  /** Divides in 32 bits, as torchvision does. */
  | { readonly kind: 'divide'; readonly by: number }
  /** Subtracts the mean and divides by the standard deviation, in 32 bits. */
  | { readonly kind: 'normalize'; readonly mean: PerChannel; readonly std: PerChannel };

/** How the transparency of an image is removed: by ignoring it, or by a white background. */
export type AlphaRule = 'discard' | 'white';

/**
 * How the pixels of an image become the tensor that the model reads. The steps are applied in the order of
 * the members. All processors of transformers that builds support have this order, or one with the same
 * result.
 */
export interface ImageRecipe {
  /** How images become RGB. */
  readonly alpha: AlphaRule;
  /** Undefined if the model reads images of any size as they are. */
  readonly resize?: { readonly to: ResizeTarget; readonly filter: ResampleFilter };
  readonly crop?: CenterCrop;
  readonly values: readonly ValueStep[];
  readonly channels: 'rgb' | 'bgr';
  /** The size to which the tensor is extended with zeros at the right and at the bottom. */
  readonly pad?: ImageSize;
  /** The size of every tensor; undefined if it depends on the image. */
  readonly size?: ImageSize;
}
