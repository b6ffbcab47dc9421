import type { ImageSize } from '#contract/image-recipe.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { ByteCursor } from './byte-cursor.ts';
import { damaged, unsupported } from './damaged.ts';

export interface JpegFile extends ImageSize {
  /** 1 for grey images, 3 for color, 4 for printing colors. */
  readonly components: number;
  /** Whether a color has half the height of the image, but all of its width (4:4:0). */
  readonly hasLowColors: boolean;
  /** Number of passes over the image, each of which takes as long as a whole image in the worst case. */
  readonly scans: number;
  /** Whether the file ends with its end marker, and not too early. */
  readonly isComplete: boolean;
}

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const HUFFMAN_TABLES = 0xc4;
const EXTENSION = 0xc8;
const ARITHMETIC_TABLES = 0xcc;

/** Markers without content: restarts, and a marker for private use. */
const isAlone = (marker: number): boolean => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
/** Markers of a frame header, which states the size and the method of compression. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![HUFFMAN_TABLES, EXTENSION, ARITHMETIC_TABLES].includes(marker);
/** Baseline, extended and progressive images with Huffman codes. */
const isHuffmanCoded = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc2;

/** Reads the size of a JPEG file, and counts its passes. */
export function readJpegFile(bytes: Uint8Array): JpegFile {
  const cursor = new ByteCursor('jpeg', bytes, 2);
  let frame: Omit<JpegFile, 'scans' | 'isComplete'> | undefined;
  let scans = 0;
  for (;;) {
    const marker = nextMarker(bytes, cursor);
    if (marker === undefined || marker === END_OF_IMAGE) {
      if (frame === undefined) throw damaged('jpeg', 'it contains no image');
      return { ...frame, scans, isComplete: marker !== undefined };
    }
    if (marker === START_OF_IMAGE || isAlone(marker)) continue;
    if (isFrame(marker)) {
      if (frame !== undefined) throw damaged('jpeg', 'it has two frame headers');
      frame = readFrame(bytes, cursor.at, marker);
    }
    if (marker === START_OF_SCAN) scans += 1;
    // A segment that ends after the file is one of the reasons for a file that is not complete.
    if (cursor.left < 2) cursor.at = bytes.length;
    else cursor.at = Math.min(cursor.at + Math.max(cursor.u16be(), 2), bytes.length);
  }
}

/** Finds the next marker, also after compressed data, and moves behind it. */
function nextMarker(bytes: Uint8Array, cursor: ByteCursor): number | undefined {
  let at = cursor.at;
  for (;;) {
    at = bytes.indexOf(MARKER, at);
    if (at === -1 || at + 1 >= bytes.length) return undefined;
    const marker = bytes[at + 1] ?? 0;
    at += marker === MARKER ? 1 : 2;
    // In compressed data, a zero follows each byte with the value of a marker.
    if (marker === 0 || marker === MARKER) continue;
    cursor.at = at;
    return marker;
  }
}

function readFrame(bytes: Uint8Array, start: number, marker: number): Omit<JpegFile, 'scans' | 'isComplete'> {
  const cursor = new ByteCursor('jpeg', bytes, start + 2);
  const bits = cursor.u8();
  const [height, width] = [cursor.u16be(), cursor.u16be()];
  const components = cursor.u8();
  if (!isHuffmanCoded(marker)) {
    throw unsupported(
      'jpeg',
      'it is lossless or has arithmetic codes, and only images with Huffman codes are read',
    );
  }
  if (bits !== 8) throw unsupported('jpeg', `it has ${bits} bits per color, and only 8 are read`);
  if (![1, 3, 4].includes(components)) {
    throw unsupported('jpeg', `it has ${components} colors, and only 1, 3 or 4 are read`);
  }
  const sampling = Array.from({ length: components }, () => {
    cursor.take(1);
    const packed = cursor.u8();
    cursor.take(1);
    return { h: packed >> 4, v: packed & 15 };
  });
  const most = { h: greatest(sampling.map(({ h }) => h)), v: greatest(sampling.map(({ v }) => v)) };
  const hasLowColors = sampling.some(({ h, v }) => h === most.h && v * 2 === most.v);
  return { width, height, components, hasLowColors };
}
