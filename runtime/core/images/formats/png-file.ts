import type { ImageSize } from '#contract/image-recipe.ts';
import { ByteCursor } from './byte-cursor.ts';
import { damaged } from './damaged.ts';

/** The types of color, by their number in the file, with the number of samples and of bits that they allow. */
const COLOR_TYPES = [
  { code: 0, color: 'grey', samples: 1, bits: [1, 2, 4, 8, 16] },
  { code: 2, color: 'rgb', samples: 3, bits: [8, 16] },
  { code: 3, color: 'palette', samples: 1, bits: [1, 2, 4, 8] },
  { code: 4, color: 'grey-alpha', samples: 2, bits: [8, 16] },
  { code: 6, color: 'rgb-alpha', samples: 4, bits: [8, 16] },
] as const;
type PngColor = (typeof COLOR_TYPES)[number]['color'];

export interface PngHeader extends ImageSize {
  readonly bits: number;
  readonly color: PngColor;
  /** Number of samples per pixel. */
  readonly samples: number;
  readonly isInterlaced: boolean;
}

export interface PngFile extends PngHeader {
  /** Three bytes for each color; empty if the image has no palette. */
  readonly palette: Uint8Array;
  /** The content of the chunk tRNS. */
  readonly transparency: Uint8Array | undefined;
  /** The parts of the compressed pixel data. */
  readonly data: readonly Uint8Array[];
}

const SIGNATURE_BYTES = 8;

/** Reads the header of a PNG file. */
export function readPngHeader(bytes: Uint8Array): PngHeader {
  const cursor = new ByteCursor('png', bytes, SIGNATURE_BYTES);
  const length = cursor.u32be();
  if (cursor.name(4) !== 'IHDR' || length < 13) throw damaged('png', 'its first chunk must be IHDR');
  const [width, height] = [cursor.u32be(), cursor.u32be()];
  const bits = cursor.u8();
  const code = cursor.u8();
  cursor.take(1);
  if (cursor.u8() !== 0) throw damaged('png', 'its filter method must be 0');
  const isInterlaced = cursor.u8() !== 0;
  const type = COLOR_TYPES.find((each) => each.code === code);
  if (!type?.bits.some((allowed) => allowed === bits)) {
    throw damaged('png', `color type ${code} with ${bits} bits is not allowed`);
  }
  return { width, height, bits, color: type.color, samples: type.samples, isInterlaced };
}

/** Computes the checksum of bytes. */
export type Checksum = (bytes: Uint8Array) => number;

/**
 * Reads the chunks of a PNG file up to the end of the pixel data. As in Pillow, the checksums of chunks
 * before the pixel data must be correct; those of the pixel data are not compared.
 */
export function readPngFile(bytes: Uint8Array, crc32: Checksum): PngFile {
  const header = readPngHeader(bytes);
  const cursor = new ByteCursor('png', bytes, SIGNATURE_BYTES);
  let palette = new Uint8Array(0);
  let transparency: Uint8Array | undefined;
  while (cursor.left > 0) {
    const start = cursor.at;
    cursor.countPart();
    const length = cursor.u32be();
    const name = cursor.name(4);
    if (name === 'IDAT') {
      cursor.at = start;
      break;
    }
    if (name === 'IEND') break;
    const content = cursor.take(length);
    if (cursor.u32be() !== crc32(bytes.subarray(start + 4, start + 8 + length))) {
      throw damaged('png', `the checksum of its chunk ${JSON.stringify(name)} is wrong`);
    }
    if (name === 'PLTE') palette = new Uint8Array(content);
    if (name === 'tRNS') transparency = content;
  }
  return { ...header, palette, transparency, data: pixelData(cursor) };
}

function pixelData(cursor: ByteCursor): Uint8Array[] {
  const parts: Uint8Array[] = [];
  while (cursor.left >= 8) {
    cursor.countPart();
    const length = cursor.u32be();
    if (cursor.name(4) !== 'IDAT') break;
    // The last part of a truncated file is used: what matters is whether all rows are there.
    parts.push(cursor.take(Math.min(length, cursor.left)));
    if (cursor.left < 4) break;
    cursor.take(4);
  }
  if (parts.length === 0) throw damaged('png', 'it contains no pixel data');
  return parts;
}
