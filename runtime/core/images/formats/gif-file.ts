import type { ImageSize } from '#contract/image-recipe.ts';
import { ByteCursor } from './byte-cursor.ts';
import { damaged } from './damaged.ts';

/** The first image of a GIF file, and the canvas on which it is placed. */
export interface GifFile extends ImageSize {
  readonly frame: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  readonly isInterlaced: boolean;
  /** Three bytes for each color; undefined if the file has none, which means shades of grey. */
  readonly palette: Uint8Array | undefined;
  readonly transparentIndex: number | undefined;
  /** Number of bits of a color's index in the compressed data. */
  readonly indexBits: number;
  /** Position of the compressed data in the file. */
  readonly dataStart: number;
}

const SIGNATURE_BYTES = 6;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/**
 * Reads a GIF file up to the compressed data of its first image. As in Pillow, the canvas is extended if
 * this image is larger.
 */
export function readGifFile(bytes: Uint8Array): GifFile {
  const cursor = new ByteCursor('gif', bytes, SIGNATURE_BYTES);
  const [canvasWidth, canvasHeight] = [cursor.u16le(), cursor.u16le()];
  const flags = cursor.u8();
  cursor.take(2);
  const globalPalette = readPalette(cursor, flags);
  let transparentIndex: number | undefined;
  for (;;) {
    const kind = cursor.left > 0 ? cursor.u8() : TRAILER;
    if (kind === TRAILER) throw damaged('gif', 'it contains no image');
    if (kind === IMAGE) break;
    cursor.countPart();
    if (kind !== EXTENSION) continue;
    const isControl = cursor.u8() === GRAPHIC_CONTROL;
    const block = cursor.take(cursor.u8());
    if (isControl && block.length >= 4 && ((block[0] ?? 0) & 1) === 1) transparentIndex = block[3];
    if (block.length > 0) skipBlocks(cursor);
  }
  const [left, top, width, height] = [cursor.u16le(), cursor.u16le(), cursor.u16le(), cursor.u16le()];
  const imageFlags = cursor.u8();
  const palette = readPalette(cursor, imageFlags) ?? globalPalette;
  return {
    width: Math.max(canvasWidth, left + width),
    height: Math.max(canvasHeight, top + height),
    frame: { left, top, width, height },
    isInterlaced: (imageFlags & 64) !== 0,
    palette,
    transparentIndex,
    indexBits: cursor.u8(),
    dataStart: cursor.at,
  };
}

function readPalette(cursor: ByteCursor, flags: number): Uint8Array | undefined {
  return (flags & 128) === 0 ? undefined : cursor.take(3 << ((flags & 7) + 1));
}

function skipBlocks(cursor: ByteCursor): void {
  const { bytes } = cursor;
  let at = cursor.at;
  for (;;) {
    const length = bytes[at] ?? 0;
    at += 1 + length;
    if (length === 0) break;
  }
  cursor.skip(at - cursor.at);
}
