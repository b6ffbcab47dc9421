import { createHash } from 'node:crypto';
import { FORMAT_NAMES } from '#core/images/formats/damaged.ts';
import { imageSize } from './image-size.ts';

const DATA_URL = /^data:[^,]{0,200};base64,/i;

/** Characters that are not digits of base64 or line breaks. Text between digits would not be seen by a reader of images. */
const NOT_DIGITS = /[^A-Za-z\d+/\r\n]/;
const PADDING: ReadonlySet<string> = new Set(['', '=', '==']);

/**
 * The base64 data of an image in a string, which can be a data URL. The string is an image if the data's
 * header is that of a PNG, JPEG, GIF or WebP file, whatever type the URL declares; other strings are texts.
 */
export function imageData(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [head = ''] = DATA_URL.exec(value) ?? [];
  const data = value.slice(head.length);
  return imageSize(data) !== undefined && isBase64(data) ? data : undefined;
}

/** A single pattern for all parts would take quadratic time for many line breaks. */
function isBase64(data: string): boolean {
  const end = data.indexOf('=');
  const padding = end === -1 ? '' : data.slice(end).trimEnd();
  const digits = end === -1 ? data : data.slice(0, end);
  return PADDING.has(padding) && !NOT_DIGITS.test(digits);
}

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
  const digits = createHash('sha256').update(file).digest('hex').slice(0, HASH_DIGITS);
  return `[${FORMAT_NAMES[format]} image, ${width} x ${height} pixels, ${file.length} bytes, sha256 ${digits}]`;
}

const HASH_DIGITS = 16;
