import type { ImageSize } from '#contract/image-recipe.ts';
import type { Box, Region } from './regions.ts';
import { RGB, type RgbImage } from './rgb-image.ts';

/** Resizes an image by taking the pixel at the middle of each new pixel, as Pillow does. */
export function resampleNearest(image: RgbImage, size: ImageSize, box: Box, region: Region): RgbImage {
  const columns = positions(
    box.left,
    Math.fround(box.right - box.left) / size.width,
    region.left,
    region.width,
  );
  const rows = positions(box.top, Math.fround(box.bottom - box.top) / size.height, region.top, region.height);
  const pixels = new Uint8Array(region.width * region.height * RGB);
  let to = 0;
  for (const row of rows) {
    for (const column of columns) {
      // Rounding can lead outside the image. Such pixels stay black.
      if (row < image.height && column < image.width) {
        const from = (row * image.width + column) * RGB;
        pixels[to] = image.pixels[from] ?? 0;
        pixels[to + 1] = image.pixels[from + 1] ?? 0;
        pixels[to + 2] = image.pixels[from + 2] ?? 0;
      }
      to += RGB;
    }
  }
  return { pixels, width: region.width, height: region.height };
}

/**
 * The old positions of the new pixels `start` to `start + count`. Like Pillow, adds the step for each pixel
 * instead of multiplying, because the results differ by rounding errors.
 */
function positions(from: number, step: number, start: number, count: number): Int32Array {
  const result = new Int32Array(count);
  let position = from + step * 0.5;
  for (let index = 0; index < start + count; index += 1) {
    if (index >= start) result[index - start] = Math.trunc(position);
    position += step;
  }
  return result;
}
