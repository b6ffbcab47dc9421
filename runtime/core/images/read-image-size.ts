import type { ImageSize } from '#contract/image-recipe.ts';
import { AppError, inputError } from '#contract/errors.ts';
import { damaged, FORMAT_NAMES, type ImageFormat } from './formats/damaged.ts';
import { readGifFile } from './formats/gif-file.ts';
import { readJpegSize } from './formats/jpeg-file.ts';
import { readPngHeader } from './formats/png-file.ts';
import { readWebpFile } from './formats/webp-file.ts';

/** What the header of an image file states. */
export interface ImageHeader extends ImageSize {
  readonly format: ImageFormat;
}

/** The largest images that are decoded. */
export interface ImageLimits {
  readonly bytes: number;
  readonly pixels: number;
}

/** A photograph of 40 megapixels needs about 300 MB of memory while it is decoded. */
export const DEFAULT_IMAGE_LIMITS: ImageLimits = { bytes: 20 * 1024 * 1024, pixels: 40_000_000 };

/** The largest width and height of an image, which is also the largest that JPEG and GIF can state. */
const LONGEST_SIDE = 65_535;

const SIGNATURES: readonly {
  readonly format: ImageFormat;
  readonly isMatch: (bytes: Uint8Array) => boolean;
}[] = [
  { format: 'jpeg', isMatch: (bytes) => startsWith(bytes, 0, [0xff, 0xd8, 0xff]) },
  {
    format: 'png',
    isMatch: (bytes) => startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  { format: 'gif', isMatch: (bytes) => hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a') },
  { format: 'webp', isMatch: (bytes) => hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP') },
];

function startsWith(bytes: Uint8Array, at: number, expected: readonly number[]): boolean {
  return expected.every((value, index) => bytes[at + index] === value);
}

const hasText = (bytes: Uint8Array, at: number, text: string): boolean =>
  startsWith(
    bytes,
    at,
    Array.from(text, (character) => character.codePointAt(0) ?? 0),
  );

/** The format of an image file by its first bytes; undefined if it is none of the supported formats. */
export const imageFormat = (bytes: Uint8Array): ImageFormat | undefined =>
  SIGNATURES.find(({ isMatch }) => isMatch(bytes))?.format;

const READERS: Readonly<Record<ImageFormat, (bytes: Uint8Array) => ImageSize>> = {
  jpeg: readJpegSize,
  png: readPngHeader,
  webp: readWebpFile,
  gif: readGifFile,
};

/**
 * Reads the format and the size of an image from its header, and rejects images that exceed the limits.
 * Nothing is decoded, because a file of a few bytes can state a size of billions of pixels.
 */
export function readImageSize(bytes: Uint8Array, limits: ImageLimits = DEFAULT_IMAGE_LIMITS): ImageHeader {
  if (bytes.length > limits.bytes) {
    throw tooLarge(
      `The image has ${bytes.length} bytes; at most ${limits.bytes} are allowed. Send a smaller image.`,
    );
  }
  const format = imageFormat(bytes);
  if (format === undefined) {
    throw inputError(
      bytes.length === 0
        ? 'The image is empty. Send the bytes of a JPEG, PNG, WebP or GIF file.'
        : 'The image is not a JPEG, PNG, WebP or GIF file. Convert it to one of these formats.',
    );
  }
  const { width, height } = READERS[format](bytes);
  if (width === 0 || height === 0) throw damaged(format, `its size is ${width} x ${height} pixels`);
  if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height > limits.pixels) {
    throw tooLarge(
      `The ${FORMAT_NAMES[format]} image has ${width} x ${height} pixels; at most ${limits.pixels} pixels and ` +
        `${LONGEST_SIDE} per side are allowed. Send a smaller image.`,
    );
  }
  return { format, width, height };
}

const tooLarge = (message: string): AppError => new AppError('TooLargeError', message);
