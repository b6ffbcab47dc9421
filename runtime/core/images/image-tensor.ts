import type { CenterCrop, ImageRecipe, ImageSize } from '#contract/image-recipe.ts';
import { inputError } from '#contract/errors.ts';
import { type CropPosition, cropPosition } from './crop-position.ts';
import type { Region } from './regions.ts';
import { resample } from './resample.ts';
import type { ResamplePasses } from './resample-passes.ts';
import { resizedSize } from './resized-size.ts';
import { RGB, type RgbImage } from './rgb-image.ts';
import { valueTable } from './value-table.ts';

/** The input of a model for one image: three channels, each of them row by row. */
export interface ImageTensor extends ImageSize {
  readonly values: Float32Array;
  /** The part at the left and at the top that is not padding. */
  readonly content: ImageSize;
}

/** Pixels of a tensor that no model needs, for images that are thousands of times longer than they are wide. */
const MAX_PIXELS = 16_777_216;

/** Returns a function that makes the tensor for an image. It computes what all images share only once. */
export function tensorMaker(recipe: ImageRecipe, passes: ResamplePasses): (image: RgbImage) => ImageTensor {
  const [first, second, third] = recipe.channels === 'rgb' ? ([0, 1, 2] as const) : ([2, 1, 0] as const);
  // Processors normalize with the mean of the channel at the same place, whatever its color is.
  const [firstTable, secondTable, thirdTable] = [0, 1, 2].map((channel) =>
    valueTable(recipe.values, channel as 0 | 1 | 2),
  ) as [Float32Array, Float32Array, Float32Array];
  return (image) => {
    const placed = placeImage(image, recipe, passes);
    const content = { height: placed.height, width: placed.width };
    const { height, width } = paddedSize(content, recipe.pad);
    const { pixels } = placed;
    const channel = height * width;
    const values = new Float32Array(RGB * channel);
    let pixel = 0;
    for (let row = 0; row < content.height; row += 1) {
      const start = row * width;
      for (let to = start; to < start + content.width; to += 1) {
        values[to] = firstTable[pixels[pixel + first] ?? 0] ?? 0;
        values[to + channel] = secondTable[pixels[pixel + second] ?? 0] ?? 0;
        values[to + channel * 2] = thirdTable[pixels[pixel + third] ?? 0] ?? 0;
        pixel += RGB;
      }
    }
    return { values, height, width, content };
  };
}

function paddedSize(content: ImageSize, pad: ImageSize | undefined): ImageSize {
  if (pad === undefined) return content;
  if (content.height <= pad.height && content.width <= pad.width) return pad;
  throw inputError(
    `The image has ${content.width} x ${content.height} pixels after it is resized for the model, but the model ` +
      `reads at most ${pad.width} x ${pad.height} pixels. Use an image with another aspect ratio.`,
  );
}

/** Resizes and crops an image. Only those pixels are computed that remain after the crop. */
function placeImage(image: RgbImage, recipe: ImageRecipe, passes: ResamplePasses): RgbImage {
  const scaled = recipe.resize === undefined ? image : resizedSize(image, recipe.resize.to);
  const crop = recipe.crop ?? { height: scaled.height, width: scaled.width };
  if (crop.height * crop.width > MAX_PIXELS) {
    throw inputError(
      `The image has ${image.width} x ${image.height} pixels, and would have ${crop.width} x ${crop.height} pixels ` +
        `when it is resized for the model; at most ${MAX_PIXELS} are allowed. Use a smaller image, or one whose ` +
        'sides are less different.',
    );
  }
  const rounding = recipe.crop?.rounding ?? 'transformers';
  const rows = cropPosition(scaled.height, crop.height, rounding);
  const columns = cropPosition(scaled.width, crop.width, rounding);
  const region = { left: columns.from, top: rows.from, width: columns.count, height: rows.count };
  const filter = recipe.resize?.filter ?? 'nearest';
  const isWhole = region.width === image.width && region.height === image.height;
  const isSame = scaled.width === image.width && scaled.height === image.height;
  const part = isSame
    ? isWhole
      ? image
      : cut(image, region)
    : resample(image, scaled, filter, passes, { region });
  return recipe.crop === undefined ? part : onCanvas(part, recipe.crop, rows, columns);
}

function cut(image: RgbImage, region: Region): RgbImage {
  const pixels = new Uint8Array(region.width * region.height * RGB);
  const bytes = region.width * RGB;
  for (let row = 0; row < region.height; row += 1) {
    const from = ((region.top + row) * image.width + region.left) * RGB;
    pixels.set(image.pixels.subarray(from, from + bytes), row * bytes);
  }
  return { pixels, width: region.width, height: region.height };
}

/** Places an image that is smaller than the crop on its background. */
function onCanvas(image: RgbImage, crop: CenterCrop, rows: CropPosition, columns: CropPosition): RgbImage {
  const { width, height } = crop;
  if (image.width === width && image.height === height) return image;
  const pixels = new Uint8Array(width * height * RGB);
  if (crop.fill.some((value) => value !== 0)) {
    for (let at = 0; at < pixels.length; at += RGB) pixels.set(crop.fill, at);
  }
  const bytes = image.width * RGB;
  for (let row = 0; row < image.height; row += 1) {
    const to = ((rows.to + row) * width + columns.to) * RGB;
    pixels.set(image.pixels.subarray(row * bytes, (row + 1) * bytes), to);
  }
  return { pixels, width, height };
}
