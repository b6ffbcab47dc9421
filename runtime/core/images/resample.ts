import type { ImageSize, ResampleFilter } from '#contract/image-recipe.ts';
import { axisWeights } from './filter-weights.ts';
import { RGB, type RgbImage } from './rgb-image.ts';
import type { Box, Region } from './regions.ts';
import { resampleNearest } from './resample-nearest.ts';
import type { ResamplePasses } from './resample-passes.ts';

export interface ResampleOptions {
  /** The part of the image that becomes the new image. The default is all of it. */
  readonly box?: Box | undefined;
  /**
   * The part of the new image to compute. Pixels do not depend on it, so that the parts that a crop removes
   * need neither time nor memory. The default is all of it.
   */
  readonly region?: Region | undefined;
}

/** Resizes an image as Pillow's `Image.resize`, with the same pixels. */
export function resample(
  image: RgbImage,
  size: ImageSize,
  filter: ResampleFilter,
  passes: ResamplePasses,
  options: ResampleOptions = {},
): RgbImage {
  const box = float32Box(options.box ?? { left: 0, top: 0, right: image.width, bottom: image.height });
  const region = options.region ?? { left: 0, top: 0, width: size.width, height: size.height };
  if (image.height <= image.width * MAX_UPRIGHT || size.height >= image.height) {
    return resampleAxes(image, size, filter, passes, box, region);
  }
  // Pillow reduces the height of very narrow images first, which gives other pixels.
  const lower = { width: image.width, height: size.height };
  const rows = { left: 0, top: box.top, right: image.width, bottom: box.bottom };
  const narrow = resampleAxes(image, lower, filter, passes, rows, { left: 0, top: 0, ...lower });
  return resampleAxes(narrow, size, filter, passes, { ...box, top: 0, bottom: size.height }, region);
}

/** How many times higher than wide an image must be, so that Pillow reduces its height first. */
const MAX_UPRIGHT = 100;

/** Resizes in two passes, horizontally and then vertically. */
function resampleAxes(
  image: RgbImage,
  size: ImageSize,
  filter: ResampleFilter,
  passes: ResamplePasses,
  box: Box,
  region: Region,
): RgbImage {
  if (filter === 'nearest') return resampleNearest(image, size, box, region);
  const { width, height } = region;
  const rows = axisWeights(
    filter,
    image.height,
    size.height,
    { from: box.top, to: box.bottom },
    region.top,
    region.top + height,
  );
  // Pillow omits a pass that would change nothing.
  const isVertical = size.height !== image.height || box.top !== 0 || box.bottom !== size.height;
  const isHorizontal = size.width !== image.width || box.left !== 0 || box.right !== size.width;
  const firstRow = isVertical ? (rows.first[0] ?? 0) : region.top;
  const endRow = isVertical
    ? (rows.first[height - 1] ?? 0) + (rows.count[height - 1] ?? 0)
    : region.top + height;
  const range = { from: box.left, to: box.right };
  const columns = isHorizontal
    ? axisWeights(filter, image.width, size.width, range, region.left, region.left + width)
    : undefined;
  const narrow =
    columns === undefined
      ? cutColumns(image, region, firstRow, endRow)
      : passes.narrowRows(image, columns, width, firstRow, endRow);
  if (!isVertical) return { pixels: narrow, width, height };
  const first = rows.first.map((row) => row - firstRow);
  return { pixels: passes.lowerColumns(narrow, { ...rows, first }, width, height), width, height };
}

/** Pillow stores the box with 32 bits per number. */
const float32Box = ({ left, top, right, bottom }: Box): Box => ({
  left: Math.fround(left),
  top: Math.fround(top),
  right: Math.fround(right),
  bottom: Math.fround(bottom),
});

/** The rows of an image without the columns outside the region. */
function cutColumns(image: RgbImage, region: Region, firstRow: number, endRow: number): Uint8Array {
  const rowBytes = image.width * RGB;
  if (region.width === image.width) return image.pixels.subarray(firstRow * rowBytes, endRow * rowBytes);
  const width = region.width * RGB;
  const result = new Uint8Array((endRow - firstRow) * width);
  for (let row = firstRow; row < endRow; row += 1) {
    const from = row * rowBytes + region.left * RGB;
    result.set(image.pixels.subarray(from, from + width), (row - firstRow) * width);
  }
  return result;
}
