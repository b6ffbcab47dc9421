import type { ImageSize, ResampleFilter } from '#contract/image-recipe.ts';
import { type AxisWeights, axisWeights, WEIGHT_BITS } from './filter-weights.ts';
import { RGB, type RgbImage } from './rgb-image.ts';
import type { Box, Region } from './regions.ts';
import { resampleNearest } from './resample-nearest.ts';

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
  options: ResampleOptions = {},
): RgbImage {
  const box = float32Box(options.box ?? { left: 0, top: 0, right: image.width, bottom: image.height });
  const region = options.region ?? { left: 0, top: 0, width: size.width, height: size.height };
  if (image.height <= image.width * MOST_UPRIGHT || size.height >= image.height) {
    return resampleAxes(image, size, filter, box, region);
  }
  // Pillow reduces the height of very narrow images first, which gives other pixels.
  const lower = { width: image.width, height: size.height };
  const rows = { left: 0, top: box.top, right: image.width, bottom: box.bottom };
  const narrow = resampleAxes(image, lower, filter, rows, { left: 0, top: 0, ...lower });
  return resampleAxes(narrow, size, filter, { ...box, top: 0, bottom: size.height }, region);
}

/** How many times higher than wide an image must be, so that Pillow reduces its height first. */
const MOST_UPRIGHT = 100;

/** Resizes in two passes, horizontally and then vertically. */
function resampleAxes(
  image: RgbImage,
  size: ImageSize,
  filter: ResampleFilter,
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
      : resampleRows(image, columns, width, firstRow, endRow);
  return isVertical
    ? resampleColumns(narrow, rows, width, height, firstRow)
    : { pixels: narrow, width, height };
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

const HALF = 1 << (WEIGHT_BITS - 1);

/** Rounds a weighted sum to the nearest value of a pixel. */
function toByte(sum: number): number {
  const value = sum >> WEIGHT_BITS;
  return value < 0 ? 0 : Math.min(value, 255);
}

/** The horizontal pass. */
function resampleRows(
  image: RgbImage,
  columns: AxisWeights,
  width: number,
  firstRow: number,
  endRow: number,
): Uint8Array {
  const { pixels } = image;
  const { first, count, stride, weights } = columns;
  const result = new Uint8Array((endRow - firstRow) * width * RGB);
  let to = 0;
  for (let row = firstRow; row < endRow; row += 1) {
    const rowStart = row * image.width * RGB;
    for (let column = 0; column < width; column += 1) {
      let red = HALF;
      let green = HALF;
      let blue = HALF;
      let from = rowStart + (first[column] ?? 0) * RGB;
      const start = column * stride;
      const end = start + (count[column] ?? 0);
      for (let at = start; at < end; at += 1) {
        const weight = weights[at] ?? 0;
        red = (red + Math.imul(pixels[from] ?? 0, weight)) | 0;
        green = (green + Math.imul(pixels[from + 1] ?? 0, weight)) | 0;
        blue = (blue + Math.imul(pixels[from + 2] ?? 0, weight)) | 0;
        from += RGB;
      }
      result[to] = toByte(red);
      result[to + 1] = toByte(green);
      result[to + 2] = toByte(blue);
      to += RGB;
    }
  }
  return result;
}

/** The vertical pass, on rows of which the first is the row `firstRow` of the image. */
function resampleColumns(
  narrow: Uint8Array,
  rows: AxisWeights,
  width: number,
  height: number,
  firstRow: number,
): RgbImage {
  const { first, count, stride, weights } = rows;
  const rowBytes = width * RGB;
  const pixels = new Uint8Array(height * rowBytes);
  const sums = new Int32Array(rowBytes);
  for (let row = 0; row < height; row += 1) {
    sums.fill(HALF);
    const start = row * stride;
    const end = start + (count[row] ?? 0);
    let from = ((first[row] ?? 0) - firstRow) * rowBytes;
    for (let at = start; at < end; at += 1) {
      const weight = weights[at] ?? 0;
      for (let byte = 0; byte < rowBytes; byte += 1) {
        sums[byte] = (sums[byte] ?? 0) + Math.imul(narrow[from + byte] ?? 0, weight);
      }
      from += rowBytes;
    }
    const to = row * rowBytes;
    for (let byte = 0; byte < rowBytes; byte += 1) pixels[to + byte] = toByte(sums[byte] ?? 0);
  }
  return { pixels, width, height };
}
