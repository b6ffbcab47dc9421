import { inputError } from '#contract/errors.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import { encodeGreyPng, greyRows } from '#platform/images/encode-png.ts';
import type { Segment } from '../math/masks.ts';

/**
 * Maximum number of pixels of all PNG files of one image, which limits their time to a few seconds: 100
 * labels in an image of 40 megapixels.
 */
const MAX_PNG_PIXELS = 4_000_000_000;

/** A PNG file for each segment: 255 inside, 0 outside. Throws an InputError if they are too large. */
export function pngMasks(segments: readonly Segment[], size: ImageSize): Buffer[] {
  const { height, width } = size;
  if (segments.length * height * width > MAX_PNG_PIXELS) {
    throw inputError(
      `The image has ${segments.length} labels and ${height} x ${width} pixels, which is too large for masks as PNG. Send a smaller image, or set \`mask\` to rle.`,
    );
  }
  const rows = greyRows(size);
  return segments.map(({ counts }) => {
    rows.fill(0);
    let pixel = 0;
    for (const [at, count] of counts.entries()) {
      if (at % 2 === 1) paint(rows, size, pixel, count);
      pixel += count;
    }
    return encodeGreyPng(size, rows);
  });
}

const INSIDE = 255;

/** Paints pixels, which are ordered by column, into rows. */
function paint(rows: Uint8Array, { height, width }: ImageSize, start: number, count: number): void {
  let column = Math.floor(start / height);
  let row = start % height;
  for (let left = count; left > 0; left -= 1) {
    rows[row * (width + 1) + 1 + column] = INSIDE;
    row += 1;
    if (row === height) {
      row = 0;
      column += 1;
    }
  }
}
