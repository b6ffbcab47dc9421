import { constants, crc32, inflateSync } from 'node:zlib';
import { damaged, unsupported } from '#core/images/formats/damaged.ts';
import { pngImage } from '#core/images/formats/png-colors.ts';
import { readPngFile } from '#core/images/formats/png-file.ts';
import { pngDataBytes, pngSamples } from '#core/images/formats/png-pixels.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import type { TransparentImage } from '#core/images/rgb-image.ts';

/** Bytes after the last row that are tolerated, because some programs write them and Pillow ignores them. */
const EXTRA_BYTES = 65_536;

/**
 * Maximum number of bytes of the samples for each allowed pixel, so that images with 16 bits per sample can have fewer pixels.
 * The bytes of interlaced images, which take twice as long, count twice.
 */
const MAX_BYTES_PER_PIXEL = 4;

/** Decodes a PNG image whose size has been checked. */
export function decodePng(
  bytes: Uint8Array,
  { width, height }: ImageSize,
  limits: ImageLimits,
): TransparentImage {
  const file = readPngFile(bytes, crc32);
  const { bits, samples, isInterlaced } = file;
  const maxPixels = Math.floor(
    (MAX_BYTES_PER_PIXEL * limits.pixels * 8) / (bits * samples * (isInterlaced ? 2 : 1)),
  );
  if (width * height > maxPixels) {
    throw unsupported(
      'png',
      `${isInterlaced ? 'interlaced ' : ''}images with ${samples} x ${bits} bits per pixel can have at most ${maxPixels} pixels, but it has ${width} x ${height}`,
    );
  }
  const expected = pngDataBytes(file);
  const data = inflate(file.data, expected + EXTRA_BYTES);
  if (data.length < expected) {
    throw damaged('png', `its pixel data end after ${data.length} of ${expected} bytes`);
  }
  return pngImage(file, pngSamples(file, data));
}

function inflate(parts: readonly Uint8Array[], maxOutputLength: number): Uint8Array {
  const [first = new Uint8Array(0)] = parts;
  try {
    // With this option, data that end too early are returned. Pillow needs the rows only, not the checksum.
    return inflateSync(parts.length === 1 ? first : Buffer.concat(parts), {
      maxOutputLength,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    throw damaged('png', 'its pixel data cannot be decompressed to the size that its header states', error);
  }
}
