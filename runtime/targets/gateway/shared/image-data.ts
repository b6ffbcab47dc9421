import { imageSize } from './image-size.ts';

const DATA_URL = /^data:[^,]{0,200};base64,/i;

/** Characters other than digits of base64 and line breaks, so that no text follows an image. */
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
