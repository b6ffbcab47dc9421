import { damaged } from './damaged.ts';
import type { PngHeader } from './png-file.ts';

/** The pixels of one pass: every `stepX`-th pixel of every `stepY`-th row. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
}

const WHOLE: readonly Pass[] = [{ x: 0, y: 0, stepX: 1, stepY: 1 }];
/** The seven passes of interlaced images (Adam7). */
const INTERLACED: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];

interface PassSize extends Pass {
  readonly columns: number;
  readonly rows: number;
  readonly rowBytes: number;
}

function passes({ width, height, bits, samples, isInterlaced }: PngHeader): PassSize[] {
  return (isInterlaced ? INTERLACED : WHOLE)
    .map((pass) => {
      const columns = Math.ceil((width - pass.x) / pass.stepX);
      const rows = Math.ceil((height - pass.y) / pass.stepY);
      return { ...pass, columns, rows, rowBytes: Math.ceil((columns * bits * samples) / 8) };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** Number of bytes of the decompressed pixel data: for each row, a byte for its filter and its pixels. */
export const pngDataBytes = (header: PngHeader): number =>
  passes(header).reduce((sum, { rows, rowBytes }) => sum + rows * (rowBytes + 1), 0);

/**
 * Reverses the filters of decompressed pixel data, and returns all samples with 8 bits, row by row, as Pillow converts them: grey
 * values with 16 bits are limited to 255, and other samples with 16 bits lose their lower byte. Samples with fewer bits keep their
 * values, such as 0 to 3 for 2 bits.
 */
export function pngSamples(header: PngHeader, data: Uint8Array): Uint8Array {
  const { width, height, bits, samples } = header;
  const result = new Uint8Array(width * height * samples);
  const pixelBytes = Math.max((bits * samples) >> 3, 1);
  let at = 0;
  for (const pass of passes(header)) {
    let above: Uint8Array = new Uint8Array(pass.rowBytes);
    for (let row = 0; row < pass.rows; row += 1) {
      const filter = data[at] ?? 0;
      const line = data.subarray(at + 1, at + 1 + pass.rowBytes);
      unfilter(filter, line, above, pixelBytes);
      const y = pass.y + row * pass.stepY;
      storeRow(line, result, header, pass.columns, (y * width + pass.x) * samples, pass.stepX * samples);
      above = line;
      at += pass.rowBytes + 1;
    }
  }
  return result;
}

/** Reverses the filter of a row in place. */
function unfilter(filter: number, line: Uint8Array, above: Uint8Array, pixelBytes: number): void {
  const length = line.length;
  switch (filter) {
    case 0:
      return;
    case 1:
      for (let at = pixelBytes; at < length; at += 1)
        line[at] = (line[at] ?? 0) + (line[at - pixelBytes] ?? 0);
      return;
    case 2:
      for (let at = 0; at < length; at += 1) line[at] = (line[at] ?? 0) + (above[at] ?? 0);
      return;
    case 3:
      for (let at = 0; at < length; at += 1) {
        const left = at < pixelBytes ? 0 : (line[at - pixelBytes] ?? 0);
        line[at] = (line[at] ?? 0) + ((left + (above[at] ?? 0)) >> 1);
      }
      return;
    case 4:
      for (let at = 0; at < Math.min(pixelBytes, length); at += 1)
        line[at] = (line[at] ?? 0) + (above[at] ?? 0);
      for (let at = pixelBytes; at < length; at += 1) {
        line[at] =
          (line[at] ?? 0) + nearest(line[at - pixelBytes] ?? 0, above[at] ?? 0, above[at - pixelBytes] ?? 0);
      }
      return;
    default:
      throw damaged('png', `a row has the filter ${filter}, but filters are numbered 0 to 4`);
  }
}

/** The Paeth predictor: which of the three neighbors is nearest to their linear estimate. */
function nearest(left: number, above: number, aboveLeft: number): number {
  const toLeft = Math.abs(above - aboveLeft);
  const toAbove = Math.abs(left - aboveLeft);
  const toAboveLeft = Math.abs(left + above - 2 * aboveLeft);
  if (toLeft <= toAbove && toLeft <= toAboveLeft) return left;
  return toAbove <= toAboveLeft ? above : aboveLeft;
}

/** Stores the samples of a row, of which each pixel is `step` samples after the previous one. */
function storeRow(
  line: Uint8Array,
  result: Uint8Array,
  { bits, samples, color }: PngHeader,
  columns: number,
  start: number,
  step: number,
): void {
  if (bits === 8 && step === samples) {
    result.set(line, start);
    return;
  }
  if (bits < 8) {
    storeBits(line, result, bits, columns, start, step);
    return;
  }
  const isLimited = bits === 16 && color === 'grey';
  const bytes = bits >> 3;
  let to = start;
  let from = 0;
  for (let column = 0; column < columns; column += 1) {
    for (let index = 0; index < samples; index += 1) {
      const value = line[from] ?? 0;
      result[to + index] = !isLimited ? value : value > 0 ? 255 : (line[from + 1] ?? 0);
      from += bytes;
    }
    to += step;
  }
}

/** Stores samples of which several are in one byte. Such images have one sample per pixel. */
function storeBits(
  line: Uint8Array,
  result: Uint8Array,
  bits: number,
  columns: number,
  start: number,
  step: number,
): void {
  const mask = (1 << bits) - 1;
  let to = start;
  for (let bit = 0; bit < columns * bits; bit += bits) {
    result[to] = ((line[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & mask;
    to += step;
  }
}
