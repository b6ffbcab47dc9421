import type { ImageSize } from '#contract/image-recipe.ts';
import { RGB, type RgbImage } from '#core/images/rgb-image.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS = 8;
const GREY = 0;
const COLORS = 2;

/** A grey image whose rows start with one byte: the filter, which is 0 for unchanged pixels. */
export const greyRows = ({ height, width }: ImageSize): Uint8Array => new Uint8Array(height * (width + 1));

/** Encodes a grey image with 8 bits per pixel. `rows` has the form of `greyRows`. */
export const encodeGreyPng = (size: ImageSize, rows: Uint8Array): Buffer => encodePng(size, GREY, rows);

/** Encodes an image with colors. Its pixels are not filtered. */
export function encodeRgbPng({ width, height, pixels }: RgbImage): Buffer {
  const length = width * RGB;
  const rows = new Uint8Array(height * (length + 1));
  for (let row = 0; row < height; row += 1) {
    rows.set(pixels.subarray(row * length, (row + 1) * length), row * (length + 1) + 1);
  }
  return encodePng({ width, height }, COLORS, rows);
}

/** Each row starts with the byte of its filter. */
function encodePng({ width, height }: ImageSize, colors: number, rows: Uint8Array): Buffer {
  // Only results with PNG files need zlib, which takes a tenth of a start to load.
  const { constants, crc32, deflateSync } = process.getBuiltinModule('node:zlib');
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, colors], 8);
  // Masks consist of long runs, for which this strategy is the fastest.
  const strategy = colors === GREY ? constants.Z_RLE : constants.Z_DEFAULT_STRATEGY;
  const data = deflateSync(rows, { strategy, maxOutputLength: rows.length + SLACK });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);

  function chunk(type: string, content: Buffer): Buffer {
    const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, checksum]);
  }
}

/** Deflate adds some bytes to data that it cannot compress. */
const SLACK = 65_536;
