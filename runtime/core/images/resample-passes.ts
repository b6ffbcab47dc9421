import type { AxisWeights } from './filter-weights.ts';
import type { RgbImage } from './rgb-image.ts';

/** The two passes of a resize. Each rounds to whole numbers from 0 to 255. */
export interface ResamplePasses {
  /** The horizontal pass: computes `width` pixels for each of the rows from `firstRow` to `endRow`. */
  readonly narrowRows: (
    image: RgbImage,
    columns: AxisWeights,
    width: number,
    firstRow: number,
    endRow: number,
  ) => Uint8Array;
  /** The vertical pass: computes `height` rows of `width` pixels from rows of the same width. */
  readonly lowerColumns: (narrow: Uint8Array, rows: AxisWeights, width: number, height: number) => Uint8Array;
}
