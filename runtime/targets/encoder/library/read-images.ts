import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inputError, messageOf } from '#contract/errors.ts';
import { hasImageInputs, hasMixedInputs, type ModelType } from '#contract/model-types.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { imageInText, isDataUrl, isUrl, shownName } from '../engine/image-input.ts';
import { EXAMPLE_IMAGE } from '../schemas/images.ts';

/** Inputs as the engine gets them, and as JSON values with which they are validated. */
export interface ReadInputs {
  readonly inputs: readonly unknown[];
  readonly checked: readonly unknown[];
}

/** Reads the images among the inputs of a model. Inputs of models that only read texts are not changed. */
export async function readInputs(
  inputs: readonly unknown[],
  type: ModelType,
  limits: ImageLimits,
): Promise<ReadInputs> {
  if (!hasImageInputs(type) && !hasMixedInputs(type)) return { inputs, checked: inputs };
  const read: unknown[] = [];
  const checked: unknown[] = [];
  for (const [at, input] of inputs.entries()) {
    const image = hasImageInputs(type) ? input : imageIn(input);
    // A text that is a data: URL would be read as an image.
    const text = typeof input === 'string' ? { text: input } : input;
    read.push(image === undefined ? text : await readImage(image, `Input ${at}`, limits));
    checked.push(image === undefined ? text : EXAMPLE_IMAGE);
  }
  return { inputs: read, checked };
}

/** The image in an input that can be a text. Strings are texts. */
function imageIn(input: unknown): unknown {
  if (input instanceof Uint8Array || input instanceof URL || input instanceof Blob) return input;
  return typeof input === 'object' && input !== null && 'image' in input ? input.image : undefined;
}

/** Reads an image: its bytes, its path, a file: or data: URL, or a Blob. */
async function readImage(image: unknown, place: string, limits: ImageLimits): Promise<Uint8Array> {
  if (image instanceof Uint8Array) return image;
  if (image instanceof Blob) return new Uint8Array(await image.arrayBuffer());
  const name = image instanceof URL ? nameOf(image) : image;
  if (typeof name !== 'string' || name === '') {
    throw inputError(
      `${place} must be an image: the path or the bytes of a file, a file: or data: URL, or a Blob.`,
    );
  }
  if (isDataUrl(name)) return imageInText(name, place);
  if (isUrl(name)) throw inputError(`${place} is a URL. Fetch the image, and pass its bytes.`);
  return await readImageFile(name, place, limits);
}

const nameOf = (url: URL): string => (url.protocol === 'file:' ? fileURLToPath(url) : url.href);

async function readImageFile(path: string, place: string, { bytes }: ImageLimits): Promise<Uint8Array> {
  let size: number;
  try {
    ({ size } = await stat(path));
    if (size <= bytes) return await readFile(path);
  } catch (error) {
    throw inputError(`${place}: cannot read the image ${shownName(path)}: ${messageOf(error)}.`, error);
  }
  throw inputError(
    `${place}: ${shownName(path)} has ${size} bytes, but the maximum is ${bytes} (maxImageBytes).`,
  );
}
