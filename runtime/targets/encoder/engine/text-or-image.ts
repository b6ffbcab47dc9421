import { inputError } from '#contract/errors.ts';
import type { EngineInput } from './serving.ts';
import { imageInText, type ImageData, isImageUrl, isUrl } from './image-input.ts';

/**
 * An input of a model that reads texts and images: a text, the file of an image, or an object with either of
 * them. A `data:` URL of an image is an image, unless an object states that it is a text.
 */
export type TextOrImage = string | Uint8Array | { readonly text: string } | { readonly image: ImageData };

/** An input of a model that reads texts and images. `at` is its index in the request. */
export function textOrImageInput(input: TextOrImage, at: number): EngineInput {
  if (typeof input === 'string') return isImageUrl(input) ? imageInput(input, at) : { text: input };
  if (input instanceof Uint8Array) return { image: input };
  if ('image' in input) return imageInput(input.image, at);
  if ('text' in input) return { text: input.text };
  throw inputError(`Input ${at} must be a text or an image.`);
}

/** Inputs that are images. */
export const imageInputs = (inputs: readonly ImageData[]): EngineInput[] => inputs.map(imageInput);

const imageInput = (image: ImageData, at: number): EngineInput => {
  if (typeof image !== 'string') return { image };
  return isUrl(image) ? { imageUrl: image } : { image: imageInText(image, `Input ${at}`) };
};
