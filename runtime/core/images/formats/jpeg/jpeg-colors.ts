import type { ImageSize } from '#contract/image-recipe.ts';
import { RGB } from '../../rgb-image.ts';
import type { Plane } from './jpeg-upsample.ts';

const fixed = (value: number): number => Math.trunc(value * 65_536 + 0.5);
const HALF = 32_768;
const RED_OF_CR = fixed(1.402);
const GREEN_OF_CR = fixed(0.714_14);
const GREEN_OF_CB = fixed(0.344_14);
const BLUE_OF_CB = fixed(1.772);

const limited = (value: number): number => Math.max(0, Math.min(255, value));

/**
 * Converts components to RGB. `isLuminance` states whether the first three are luminance and chrominance. If there
 * is a fourth component, it is the black of printing colors, and all of them are inverted, as Pillow assumes.
 */
export function toRgb(
  planes: readonly Plane[],
  { width, height }: ImageSize,
  isLuminance: boolean,
): Uint8Array {
  const [first, second, third, black] = planes;
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('a color is missing');
  const pixels = new Uint8Array(width * height * RGB);
  const color = new Int32Array(RGB);
  let to = 0;
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      color[0] = first.samples[row * first.stride + column] ?? 0;
      color[1] = second.samples[row * second.stride + column] ?? 0;
      color[2] = third.samples[row * third.stride + column] ?? 0;
      if (isLuminance) fromLuminance(color);
      if (black !== undefined) fromPrint(color, black.samples[row * black.stride + column] ?? 0, isLuminance);
      pixels.set(color, to);
      to += RGB;
    }
  }
  return pixels;
}

/** Replaces printing colors by RGB. `light` is what the black ink leaves. */
function fromPrint(color: Int32Array, light: number, isLuminance: boolean): void {
  for (let channel = 0; channel < RGB; channel += 1) {
    // Converting luminance inverts the colors once more.
    const ink = isLuminance ? (color[channel] ?? 0) : 255 - (color[channel] ?? 0);
    color[channel] = light - divided255(ink * light);
  }
}

/** Divides by 255 and rounds, as Pillow does. */
function divided255(product: number): number {
  const sum = product + 128;
  return ((sum >> 8) + sum) >> 8;
}

function fromLuminance(color: Int32Array): void {
  const luminance = color[0] ?? 0;
  const cb = (color[1] ?? 0) - 128;
  const cr = (color[2] ?? 0) - 128;
  color[0] = limited(luminance + ((RED_OF_CR * cr + HALF) >> 16));
  color[1] = limited(luminance + ((-GREEN_OF_CB * cb - GREEN_OF_CR * cr + HALF) >> 16));
  color[2] = limited(luminance + ((BLUE_OF_CB * cb + HALF) >> 16));
}
