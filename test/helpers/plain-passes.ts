import type { ResamplePasses } from '#core/images/resample-passes.ts';
import { RGB } from '#core/images/rgb-image.ts';

/** Number of binary digits after the point in the weights. */
const WEIGHT_BITS = 22;
const HALF = 1 << (WEIGHT_BITS - 1);

/** Rounds a weighted sum to the nearest value of a pixel. */
const toByte = (sum: number): number => Math.max(0, Math.min(sum >> WEIGHT_BITS, 255));

/** The passes of the resize without WebAssembly, which show what they compute. */
export const plainPasses: ResamplePasses = {
  narrowRows({ width: oldWidth, pixels }, { first, count, stride, weights }, width, firstRow, endRow) {
    const result = new Uint8Array((endRow - firstRow) * width * RGB);
    for (let to = 0; to < result.length; to += 1) {
      const column = Math.floor(to / RGB) % width;
      const row = firstRow + Math.floor(to / RGB / width);
      let from = (row * oldWidth + (first[column] ?? 0)) * RGB + (to % RGB);
      let sum = HALF;
      for (let at = 0; at < (count[column] ?? 0); at += 1) {
        sum = (sum + Math.imul(pixels[from] ?? 0, weights[column * stride + at] ?? 0)) | 0;
        from += RGB;
      }
      result[to] = toByte(sum);
    }
    return result;
  },

  lowerColumns(narrow, { first, count, stride, weights }, width, height) {
    const rowBytes = width * RGB;
    const result = new Uint8Array(height * rowBytes);
    for (let to = 0; to < result.length; to += 1) {
      const row = Math.floor(to / rowBytes);
      let from = (first[row] ?? 0) * rowBytes + (to % rowBytes);
      let sum = HALF;
      for (let at = 0; at < (count[row] ?? 0); at += 1) {
        sum = (sum + Math.imul(narrow[from] ?? 0, weights[row * stride + at] ?? 0)) | 0;
        from += rowBytes;
      }
      result[to] = toByte(sum);
    }
    return result;
  },
};
