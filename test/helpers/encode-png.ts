import { crc32, deflateSync } from 'node:zlib';
import { RGB, type RgbImage } from '#core/images/rgb-image.ts';

/** Encodes an image as a PNG file. */
export function encodePng({ width, height, pixels }: RgbImage): Buffer {
  const rows = Buffer.alloc(height * (width * RGB + 1));
  for (let row = 0; row < height; row += 1) {
    // The first byte of a row is its filter: none.
    rows.set(pixels.subarray(row * width * RGB, (row + 1) * width * RGB), row * (width * RGB + 1) + 1);
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, COLOR, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Red, green and blue. */
const COLOR = 2;

function chunk(name: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const content = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
