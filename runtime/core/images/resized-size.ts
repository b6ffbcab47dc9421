import type { ImageSize, ResizeTarget } from '#contract/image-recipe.ts';
import { inputError } from '#contract/errors.ts';
import { roundHalfToEven } from './round-half-to-even.ts';

/**
 * The size of an image after it is resized. The order of the operations and the rounding are those of
 * transformers (`get_resize_output_image_size`, `get_size_with_aspect_ratio`) and of timm.
 */
export function resizedSize(image: ImageSize, target: ResizeTarget): ImageSize {
  const size = sizeFor(image, target);
  if (size.height > 0 && size.width > 0) return size;
  throw inputError(
    `The image has ${image.width} x ${image.height} pixels, and would have ${size.width} x ${size.height} pixels ` +
      'when it is resized for the model. Use an image whose sides are less different.',
  );
}

function sizeFor(image: ImageSize, target: ResizeTarget): ImageSize {
  switch (target.kind) {
    case 'exact':
      return { height: target.height, width: target.width };
    case 'shortest_edge':
      return shortestEdge(image, target.size);
    case 'edges':
      return shortestAndLongestEdge(image, target.shortest, target.longest, target.multipleOf ?? 1);
    case 'within':
      return within(image, target);
    case 'cover':
    case 'fit':
    default:
      return coverOrFit(image, target, target.kind);
  }
}

function shortestEdge({ height, width }: ImageSize, shorter: number): ImageSize {
  return width <= height
    ? { width: shorter, height: Math.trunc((shorter * height) / width) }
    : { height: shorter, width: Math.trunc((shorter * width) / height) };
}

function shortestAndLongestEdge(
  { height, width }: ImageSize,
  shortest: number,
  longest: number,
  multipleOf: number,
): ImageSize {
  const shorter = Math.min(height, width);
  const longer = Math.max(height, width);
  const limited = (longer / shorter) * shortest > longest ? (longest * shorter) / longer : undefined;
  const edge = limited === undefined ? shortest : roundHalfToEven(limited);
  const factor = limited ?? shortest;
  const down = (size: number): number => size - (size % multipleOf);
  const sized = (tall: number, wide: number): ImageSize => ({ height: down(tall), width: down(wide) });
  // An image with this edge stays as it is. YOLOS, which reduces to multiples, excludes upright images.
  const isKept = shorter === edge && (multipleOf === 1 || width >= height);
  if (isKept) return sized(height, width);
  return width < height
    ? sized(Math.trunc((factor * height) / width), edge)
    : sized(edge, Math.trunc((factor * width) / height));
}

function within({ height, width }: ImageSize, most: ImageSize): ImageSize {
  const scale = Math.min(most.height / height, most.width / width);
  return { height: Math.trunc(height * scale), width: Math.trunc(width * scale) };
}

function coverOrFit({ height, width }: ImageSize, target: ImageSize, kind: 'cover' | 'fit'): ImageSize {
  const ratios = { height: height / target.height, width: width / target.width };
  const ratio =
    kind === 'fit' ? Math.max(ratios.height, ratios.width) : Math.min(ratios.height, ratios.width);
  return { height: roundHalfToEven(height / ratio), width: roundHalfToEven(width / ratio) };
}
