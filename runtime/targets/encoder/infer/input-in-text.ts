import type { Manifest } from '#contract/manifest.ts';
import { hasImageInputs, hasMixedInputs } from '#contract/model-types.ts';
import { isImageUrl } from '../engine/image-input.ts';
import type { InferInput } from '../engine/engine.ts';

/**
 * The input that an argument or a line of a file is. `isExact` states that it is a text. For models that read texts and images, a text that ends
 * like the name of an image is a path, whether or not the file exists, so that a missing file is an error.
 */
export function inputInText(
  text: string,
  { modelType }: Pick<Manifest, 'modelType'>,
  isExact = false,
): InferInput {
  if (hasImageInputs(modelType)) return { image: text };
  const isImage = hasMixedInputs(modelType) && !isExact && (IMAGE_NAME.test(text) || isImageUrl(text));
  return isImage ? { image: text } : text;
}

const IMAGE_NAME = /\.(?:jpe?g|png|webp|gif)$/i;
