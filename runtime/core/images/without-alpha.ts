import type { AlphaRule } from '#contract/image-recipe.ts';
import { RGB, type RgbImage, type TransparentImage } from './rgb-image.ts';

/**
 * Removes the transparency of an image: `discard` keeps the colors as Pillow's `convert("RGB")` does, `white` places
 * the image on white as Pillow's `alpha_composite` does, with the same rounding.
 */
export function withoutAlpha({ width, height, pixels, alpha }: TransparentImage, rule: AlphaRule): RgbImage {
  if (rule === 'discard' || alpha === undefined) return { width, height, pixels };
  const result = new Uint8Array(pixels.length);
  // The weights have 7 bits after the point. The background is opaque, so that they depend on `alpha` only.
  const weights = Int32Array.from({ length: 256 }, (_, opacity) =>
    Math.trunc((opacity * 255 * 128 * 255) / (255 * 255)),
  );
  let index = 0;
  for (let at = 0; at < alpha.length; at += 1) {
    const weight = weights[alpha[at] ?? 0] ?? 0;
    const rest = (255 * 128 - weight) * 255 + (128 << 7);
    for (const end = index + RGB; index < end; index += 1) {
      const sum = (pixels[index] ?? 0) * weight + rest;
      result[index] = (((sum >> 8) + sum) >> 8) >> 7;
    }
  }
  return { width, height, pixels: result };
}
