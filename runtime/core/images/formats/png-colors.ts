import { RGB, type TransparentImage } from '../rgb-image.ts';
import type { PngFile } from './png-file.ts';

const OPAQUE = 255;

/**
 * Converts samples to RGB as Pillow does: grey values with 16 bits are limited to 255 instead of being
 * divided, other samples with 16 bits lose their lower byte, and colors that the palette lacks are black.
 */
export function pngImage(file: PngFile, samples: Uint8Array | Uint16Array): TransparentImage {
  const { width, height } = file;
  const count = width * height;
  const pixels = new Uint8Array(count * RGB);
  switch (file.color) {
    case 'grey': {
      const levels = greyLevels(file.bits);
      for (let at = 0; at < count; at += 1) setGrey(pixels, at, levels(samples[at] ?? 0));
      return { width, height, pixels, alpha: keyAlpha(pixels, transparentKey(file)) };
    }
    case 'rgb': {
      const shift = file.bits - 8;
      for (let at = 0; at < pixels.length; at += 1) pixels[at] = (samples[at] ?? 0) >> shift;
      return { width, height, pixels, alpha: keyAlpha(pixels, transparentKey(file)) };
    }
    case 'palette': {
      for (let at = 0; at < count; at += 1) setColor(pixels, at, file.palette, samples[at] ?? 0);
      return { width, height, pixels, alpha: paletteAlpha(samples, file.transparency) };
    }
    case 'grey-alpha':
    case 'rgb-alpha':
    default:
      return withAlphaSamples(file, samples, pixels);
  }
}

function setGrey(pixels: Uint8Array, at: number, level: number): void {
  pixels.fill(level, at * RGB, at * RGB + RGB);
}

/** Stores a color of a palette; colors outside the palette are black. */
export function setColor(pixels: Uint8Array, at: number, palette: Uint8Array, index: number): void {
  const from = index * RGB;
  if (from + RGB > palette.length) return;
  pixels[at * RGB] = palette[from] ?? 0;
  pixels[at * RGB + 1] = palette[from + 1] ?? 0;
  pixels[at * RGB + 2] = palette[from + 2] ?? 0;
}

function greyLevels(bits: number): (sample: number) => number {
  if (bits === 16) return (sample) => Math.min(sample, 255);
  const factor = 255 / (2 ** bits - 1);
  return (sample) => sample * factor;
}

function withAlphaSamples(
  { width, height, bits, samples: perPixel }: PngFile,
  samples: Uint8Array | Uint16Array,
  pixels: Uint8Array,
): TransparentImage {
  const shift = bits - 8;
  const alpha = new Uint8Array(width * height);
  const isGrey = perPixel === 2;
  for (let at = 0; at < alpha.length; at += 1) {
    const from = at * perPixel;
    if (isGrey) setGrey(pixels, at, (samples[from] ?? 0) >> shift);
    else
      for (let channel = 0; channel < RGB; channel += 1)
        pixels[at * RGB + channel] = (samples[from + channel] ?? 0) >> shift;
    alpha[at] = (samples[from + perPixel - 1] ?? 0) >> shift;
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
function paletteAlpha(
  samples: Uint8Array | Uint16Array,
  chunk: Uint8Array | undefined,
): Uint8Array | undefined {
  if (chunk === undefined || chunk.length === 0) return undefined;
  const alpha = new Uint8Array(samples.length);
  for (let at = 0; at < alpha.length; at += 1) alpha[at] = chunk[samples[at] ?? 0] ?? OPAQUE;
  return alpha;
}
