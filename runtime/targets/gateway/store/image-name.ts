import { FORMAT_NAMES } from '#core/images/formats/damaged.ts';
import { sha256 } from '#platform/sha256.ts';
import { imageData } from '../shared/image-data.ts';
import { imageSize } from '../shared/image-size.ts';

/**
 * A short name for an image, which pages, results and stored requests contain in place of its data; undefined
 * for a text. It ends with the first digits of the file's SHA-256, by which an image can be found again.
 */
export function imageName(value: unknown): string | undefined {
  const data = imageData(value);
  const header = data === undefined ? undefined : imageSize(data);
  if (data === undefined || !header) return undefined;
  const { format, width, height } = header;
  const file = Buffer.from(data, 'base64');
  const digits = sha256(file).slice(0, HASH_DIGITS);
  return `[${FORMAT_NAMES[format]} image, ${width} x ${height} pixels, ${file.length} bytes, sha256 ${digits}]`;
}

const HASH_DIGITS = 16;
