import { RGB, type TransparentImage } from '../rgb-image.ts';
import { gifIndexes } from './gif-data.ts';
import { type GifFile, readGifFile } from './gif-file.ts';
import { storeColors } from './png-colors.ts';

/**
 * Decodes the first image of a GIF file. As in Pillow, the canvas around it has the transparent color, or else
 * the first color of the palette.
 */
export function gifImage(bytes: Uint8Array): TransparentImage {
  const file = readGifFile(bytes);
  const { width, height, palette = GREYS, transparentIndex } = file;
  const indexes = canvasIndexes(file, bytes);
  const pixels = new Uint8Array(width * height * RGB);
  storeColors(pixels, indexes, palette);
  const alpha = transparentIndex === undefined ? undefined : alphaOf(indexes, transparentIndex);
  return { width, height, pixels, alpha };
}

function alphaOf(indexes: Uint8Array, transparentIndex: number): Uint8Array {
  const alpha = new Uint8Array(indexes.length).fill(255);
  for (let at = 0; at < indexes.length; at += 1) if (indexes[at] === transparentIndex) alpha[at] = 0;
  return alpha;
}

const GREYS = Uint8Array.from({ length: 256 * RGB }, (_, at) => Math.trunc(at / RGB));

function canvasIndexes({ width, height, frame, ...file }: GifFile, bytes: Uint8Array): Uint8Array {
  const indexes = gifIndexes(bytes, file.dataStart, file.indexBits, frame.width * frame.height);
  const canvas = new Uint8Array(width * height).fill(file.transparentIndex ?? 0);
  const order = file.isInterlaced ? interlacedRows(frame.height) : undefined;
  for (let row = 0; row < frame.height; row += 1) {
    const line = indexes.subarray(row * frame.width, (row + 1) * frame.width);
    canvas.set(line, (frame.top + (order?.[row] ?? row)) * width + frame.left);
  }
  return canvas;
}

/** The rows in the order in which an interlaced image stores them. */
function interlacedRows(height: number): number[] {
  const rows: number[] = [];
  for (const [start, step] of [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const) {
    for (let row = start; row < height; row += step) rows.push(row);
  }
  return rows;
}
