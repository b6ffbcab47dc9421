import { RGB, type TransparentImage } from '../rgb-image.ts';
import type { PngFile } from './png-file.ts';

const OPAQUE = 255;

/** Converts samples to RGB as Pillow does: colors that the palette lacks are black. */
export function pngImage(file: PngFile, samples: Uint8Array): TransparentImage {
  const { width, height } = file;
  const count = width * height;
  // The samples of an image with red, green and blue are its pixels.
  const pixels = file.color === 'rgb' ? samples : new Uint8Array(count * RGB);
  switch (file.color) {
    case 'grey': {
      const factor = file.bits < 8 ? OPAQUE / (2 ** file.bits - 1) : 1;
      for (let at = 0; at < count; at += 1) setGrey(pixels, at, (samples[at] ?? 0) * factor);
      return { width, height, pixels, alpha: keyAlpha(pixels, transparentKey(file)) };
    }
    case 'rgb':
      return { width, height, pixels, alpha: keyAlpha(pixels, transparentKey(file)) };
    case 'palette': {
      storeColors(pixels, samples, file.palette);
      return { width, height, pixels, alpha: paletteAlpha(samples, file.transparency) };
    }
    case 'grey-alpha':
    case 'rgb-alpha':
    default:
      return withAlphaSamples(file, samples, pixels);
  }
}

function setGrey(pixels: Uint8Array, at: number, level: number): void {
  const to = at * RGB;
  pixels[to] = level;
  pixels[to + 1] = level;
  pixels[to + 2] = level;
}

/** Stores the colors of a palette for the indexes of all pixels; colors outside the palette are black. */
export function storeColors(pixels: Uint8Array, indexes: Uint8Array, palette: Uint8Array): void {
  const colors = new Uint8Array(256 * RGB);
  colors.set(palette.subarray(0, palette.length - (palette.length % RGB)));
  let to = 0;
  for (let at = 0; at < indexes.length; at += 1) {
    const from = (indexes[at] ?? 0) * RGB;
    pixels[to] = colors[from] ?? 0;
    pixels[to + 1] = colors[from + 1] ?? 0;
    pixels[to + 2] = colors[from + 2] ?? 0;
    to += RGB;
  }
}

function withAlphaSamples(
  { width, height, samples: perPixel }: PngFile,
  samples: Uint8Array,
  pixels: Uint8Array,
): TransparentImage {
  const alpha = new Uint8Array(width * height);
  // Grey images repeat the first sample.
  const [green, blue] = perPixel === 2 ? [0, 0] : [1, 2];
  let from = 0;
  let to = 0;
  for (let at = 0; at < alpha.length; at += 1) {
    pixels[to] = samples[from] ?? 0;
    pixels[to + 1] = samples[from + green] ?? 0;
    pixels[to + 2] = samples[from + blue] ?? 0;
    from += perPixel;
    to += RGB;
    alpha[at] = samples[from - 1] ?? 0;
  }
  return { width, height, pixels, alpha };
}

/**
 * The one color that is transparent, from the chunk tRNS. Pillow compares the lower bytes of its numbers with
 * the converted pixels, whatever the number of bits is.
 */
function transparentKey({ color, bits, transparency: chunk }: PngFile): readonly number[] | undefined {
  const numbers = color === 'grey' ? 1 : 3;
  if (chunk === undefined || chunk.length < numbers * 2) return undefined;
  const low = (index: number): number => chunk[index * 2 + 1] ?? 0;
  if (color === 'rgb') return [low(0), low(1), low(2)];
  const level = bits === 1 ? ((chunk[0] ?? 0) + (chunk[1] ?? 0) > 0 ? OPAQUE : 0) : low(0);
  return [level, level, level];
}

function keyAlpha(pixels: Uint8Array, key: readonly number[] | undefined): Uint8Array | undefined {
  if (key === undefined) return undefined;
  const [red, green, blue] = key;
  const alpha = new Uint8Array(pixels.length / RGB);
  for (let at = 0; at < alpha.length; at += 1) {
    const from = at * RGB;
    const isKey = pixels[from] === red && pixels[from + 1] === green && pixels[from + 2] === blue;
    alpha[at] = isKey ? 0 : OPAQUE;
  }
  return alpha;
}

/** For palettes, the chunk tRNS contains one byte for each color; further colors are opaque. */
function paletteAlpha(samples: Uint8Array, chunk: Uint8Array | undefined): Uint8Array | undefined {
  if (chunk === undefined || chunk.length === 0) return undefined;
  const alpha = new Uint8Array(samples.length);
  for (let at = 0; at < alpha.length; at += 1) alpha[at] = chunk[samples[at] ?? 0] ?? OPAQUE;
  return alpha;
}
