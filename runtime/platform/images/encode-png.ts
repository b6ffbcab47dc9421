import type { ImageSize } from '#contract/image-recipe.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS = 8;
const GREY = 0;

/** A grey image whose rows start with one byte: the filter, which is 0 for unchanged pixels. */
export const greyRows = ({ height, width }: ImageSize): Uint8Array => new Uint8Array(height * (width + 1));

/** Encodes a grey image with 8 bits per pixel. `rows` has the form of `greyRows`. */
export function encodeGreyPng({ height, width }: ImageSize, rows: Uint8Array): Buffer {
  // Only results with PNG files need zlib, which takes a tenth of a start to load.
  const { constants, crc32, deflateSync } = process.getBuiltinModule('node:zlib');
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, GREY], 8);
  // Masks consist of long runs, for which this strategy is the fastest.
  const data = deflateSync(rows, { strategy: constants.Z_RLE, maxOutputLength: rows.length + SLACK });
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
