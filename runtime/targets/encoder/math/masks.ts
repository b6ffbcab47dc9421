import { inputError } from '#contract/errors.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import { encodeGreyPng, greyRows } from '#platform/images/encode-png.ts';
import type { LabelRuns } from './label-runs.ts';

/** The forms of masks: run-length as in COCO, or PNG. */
export const MASK_FORMATS = ['rle', 'png'] as const;
export type MaskFormat = (typeof MASK_FORMATS)[number];

/** The pixels of an image that have a label. */
export interface Segment {
  /** Index of the label. */
  readonly label: number;
  /** Number of pixels. */
  readonly area: number;
  /**
   * Numbers of pixels outside and inside the segment, in turn, starting with pixels outside. The pixels are
   * ordered by column and, in a column, from the top.
   */
  readonly counts: readonly number[];
}

/** The segments of all labels in an image, in the order of the labels. */
export function segmentsOf({ size, labels, lengths }: LabelRuns): Segment[] {
  const found = new Map<number, { area: number; end: number; readonly counts: number[] }>();
  let start = 0;
  for (const [at, label] of labels.entries()) {
    const length = lengths[at] ?? 0;
    const segment = found.get(label) ?? { area: 0, end: 0, counts: [] };
    found.set(label, segment);
    segment.counts.push(start - segment.end, length);
    segment.area += length;
    start += length;
    segment.end = start;
  }
  const total = size.height * size.width;
  return [...found]
    .sort(([left], [right]) => left - right)
    .map(([label, { area, end, counts }]) => {
      if (end < total) counts.push(total - end);
      return { label, area, counts };
    });
}

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
