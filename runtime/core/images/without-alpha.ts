import type { AlphaRule } from '#contract/image-recipe.ts';
import { RGB, type RgbImage, type TransparentImage } from './rgb-image.ts';

/**
 * Removes the transparency of an image: `discard` keeps the colors as Pillow's `convert("RGB")` does, `white` places
 * the image on white as Pillow's `alpha_composite` does, with the same rounding.
 */
export function withoutAlpha({ width, height, pixels, alpha }: TransparentImage, rule: AlphaRule): RgbImage {
  if (rule === 'discard' || alpha === undefined) return { width, height, pixels };
  const result = new Uint8Array(pixels.length);
  for (let at = 0; at < alpha.length; at += 1) {
    // The weights have 7 bits after the point. The background is opaque, so that they depend on `alpha` only.
    const own = (alpha[at] ?? 0) * 255 * 128;
    const weight = Math.trunc((own * 255) / (255 * 255));
    const white = (255 * 128 - weight) * 255;
    for (let channel = 0; channel < RGB; channel += 1) {
      const index = at * RGB + channel;
      const sum = (pixels[index] ?? 0) * weight + white + (128 << 7);
      result[index] = (((sum >> 8) + sum) >> 8) >> 7;
    }
  }
  return { width, height, pixels: result };
}
