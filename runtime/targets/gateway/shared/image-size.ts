import type { ImageSize } from '#contract/image-recipe.ts';
import type { ImageFormat } from '#core/images/formats/damaged.ts';
import { imageFormat, type ImageHeader } from '#core/images/read-image-size.ts';

/** The first characters of PNG, JPEG, GIF and WebP files in base64. */
const SIGNATURE = /^(?:iVBORw0KGg|\/9j\/|R0lGOD|UklGR)/;

/**
 * Numbers of characters to decode: the first is enough for most images. In a JPEG, the size can come after a
 * preview image of up to the second.
 */
const HEADS = [1024, 256 * 1024];

/**
 * Reads the size of a PNG, GIF, WebP or JPEG image in base64; undefined if it is none of these or damaged.
 */
export function imageSize(base64: string): ImageHeader | undefined {
  if (!SIGNATURE.test(base64)) return undefined;
  for (const length of HEADS) {
    const size = sizeIn(Buffer.from(base64.slice(0, length), 'base64'));
    if (size) return size;
    if (length >= base64.length) return undefined;
  }
  return undefined;
}

function sizeIn(head: Buffer): ImageHeader | undefined {
  const format = imageFormat(head);
  if (!format) return undefined;
  try {
    const size = READERS[format](head);
    return size && size.width > 0 && size.height > 0 ? { ...size, format } : undefined;
  } catch {
    // A read went beyond the end: the image is damaged, or its size comes later.
    return undefined;
  }
}

/** Other than the encoder's, these read the start of a file and do not check the rest. */
const READERS: Readonly<Record<ImageFormat, (head: Buffer) => ImageSize | undefined>> = {
  png: (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  gif: (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  webp: webpSize,
  jpeg: jpegSize,
};

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(head: Buffer): ImageSize | undefined {
  const chunk = head.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ')
    return { width: head.readUInt16LE(26) & 0x3f_ff, height: head.readUInt16LE(28) & 0x3f_ff };
  if (chunk !== 'VP8L') return undefined;
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 };
}

/** Finds the frame header after other segments, each of which contains its length. */
function jpegSize(head: Buffer): ImageSize | undefined {
  for (let at = 2; at < head.length; at += 2 + head.readUInt16BE(at + 2)) {
    while (head[at] === 0xff && head[at + 1] === 0xff) at += 1;
    const marker = head.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    if (head[at] !== 0xff || marker === 0xda) return undefined;
  }
  return undefined;
}
