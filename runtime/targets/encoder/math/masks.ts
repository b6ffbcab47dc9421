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
