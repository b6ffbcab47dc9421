import type { ImageSize } from '#contract/image-recipe.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { ByteCursor } from './byte-cursor.ts';
import { damaged, unsupported } from './damaged.ts';

/** What the frame header of a JPEG file states. */
interface JpegFrameHeader extends ImageSize {
  /** 1 for grey images, 3 for color, 4 for printing colors. */
  readonly components: number;
  /** Whether a color has half the height of the image, but all of its width (4:4:0). */
  readonly hasLowColors: boolean;
}

export interface JpegFile extends JpegFrameHeader {
  /** Number of passes over one color of the image: the sum of the colors in each scan. */
  readonly passes: number;
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

/** Bytes of Huffman tables in a file. A hundred scans with eight tables each have a fifth of it. */
const MAX_TABLE_BYTES = 1_000_000;

/** Reads the size of a JPEG file from its frame header. */
export const readJpegSize = (bytes: Uint8Array): ImageSize => readSegments(bytes, true);

/** Reads the size of a JPEG file, and counts its passes up to the end of the file. */
export const readJpegFile = (bytes: Uint8Array): JpegFile => readSegments(bytes, false);

function readSegments(bytes: Uint8Array, isFrameEnough: boolean): JpegFile {
  const cursor = new ByteCursor('jpeg', bytes, 2);
  let frame: JpegFrameHeader | undefined;
  let [passes, tableBytes] = [0, 0];
  for (;;) {
    const marker = nextMarker(bytes, cursor);
    if (marker === undefined || marker === END_OF_IMAGE) {
      if (frame === undefined) throw damaged('jpeg', 'it contains no image');
      return { ...frame, passes, isComplete: marker !== undefined };
    }
    if (marker === START_OF_IMAGE || isAlone(marker)) continue;
    if (isFrame(marker)) {
      if (frame !== undefined) throw damaged('jpeg', 'it has two frame headers');
      frame = readFrame(bytes, cursor.at, marker);
      if (isFrameEnough) return { ...frame, passes, isComplete: false };
    }
    cursor.countPart();
    // A segment that ends after the file is one of the reasons for a file that is not complete.
    const length =
      cursor.left < 2
        ? cursor.left
        : Math.max((bytes[cursor.at] ?? 0) * 256 + (bytes[cursor.at + 1] ?? 0), 2);
    if (marker === START_OF_SCAN) passes += bytes[cursor.at + 2] ?? 0;
    if (marker === HUFFMAN_TABLES) tableBytes += length;
    if (tableBytes > MAX_TABLE_BYTES)
      throw unsupported('jpeg', `its Huffman tables have more than ${MAX_TABLE_BYTES} bytes`);
    cursor.at = Math.min(cursor.at + length, bytes.length);
  }
}

/** Finds the next marker, also after compressed data, and moves behind it. */
function nextMarker(bytes: Uint8Array, cursor: ByteCursor): number | undefined {
  let at = cursor.at;
  for (;;) {
    // A search takes longer than this loop if all bytes have the value of a marker.
    while (bytes[at] === MARKER && (bytes[at + 1] === 0 || bytes[at + 1] === MARKER)) {
      // In compressed data, a zero follows each byte with the value of a marker.
      at += bytes[at + 1] === 0 ? 2 : 1;
    }
    at = bytes.indexOf(MARKER, at);
    if (at === -1 || at + 1 >= bytes.length) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0 || marker === MARKER) continue;
    cursor.at = at + 2;
    return marker;
  }
}

function readFrame(bytes: Uint8Array, start: number, marker: number): JpegFrameHeader {
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
