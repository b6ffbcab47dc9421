import { isObject } from '#core/json/is-object.ts';
import { imageData } from '../../shared/image-data.ts';
import type { Json } from '../../providers/shapes/chat.ts';

/**
 * Routes to models that compute vectors or labels. Only there, a string that is an image is not a text:
 * language models read every string, whatever it contains.
 */
const ENDPOINTS = new Set(['/v1/embeddings', '/v1/classify']);

/** The base64 data of an input that is an image: a string, or an object as in Jina's API. */
const imageOf = (input: unknown): string | undefined => imageData(isObject(input) ? input['image'] : input);

/** Replaces the images among a request's inputs; undefined if there are none. */
function replaceImages(body: Json, replacement: (data: string) => unknown): Json | undefined {
  const { input } = body;
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  let images = 0;
  const replaced = inputs.map((one) => {
    const data = imageOf(one);
    if (data === undefined) return one;
    images += 1;
    const value = replacement(data);
    return isObject(one) ? { ...one, image: value } : value;
  });
  if (images === 0) return undefined;
  return { ...body, input: Array.isArray(input) ? replaced : replaced[0] };
}

interface WithoutImages {
  /** The body, in which images are empty texts. */
  readonly body: Json;
  /** Returns a changed body with the images of the original one. */
  readonly restore: (changed: Json) => Json;
}

/** Separates a request's texts from its images, which guardrails cannot read. */
export function withoutImages(endpoint: string, body: Json): WithoutImages {
  const texts = ENDPOINTS.has(endpoint) ? replaceImages(body, () => '') : undefined;
  if (!texts) return { body, restore: (changed) => changed };
  return {
    body: texts,
    restore: (changed) => ({ ...changed, input: restored(body['input'], changed['input']) }),
  };
}

/** The changed inputs, with the original images. Inputs keep their order and their form when texts are masked. */
function restored(original: unknown, changed: unknown): unknown {
  if (Array.isArray(original) && Array.isArray(changed))
    return original.map((one: unknown, at) => restored(one, changed[at]));
  if (imageOf(original) === undefined) return changed;
  return isObject(original) && isObject(changed) ? { ...changed, image: original['image'] } : original;
}

/** The body with images in the form of a chat message, so that the tokens of images are counted as such. */
export const withImageParts = (body: Json): Json =>
  replaceImages(body, (data) => ({ type: 'input_image', image_url: data })) ?? body;
