import { AppError, inputError } from '#contract/errors.ts';
import { type ImageLimits, readImageSize } from '#core/images/read-image-size.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import type { EngineInput } from './serving.ts';

/** An image as in a request: the file, the file in base64 or as a `data:` URL, or the URL to fetch it from. */
export type ImageData = string | Uint8Array;

/** An image as an input of a model that only reads images. */
export const asImageInput = (image: ImageData): EngineInput =>
  typeof image === 'string' ? { text: image } : { image };

/** The message for a request without images. */
export const NO_IMAGE = 'The request has no image. Send at least one, in base64 or as a data: URL.';

/**
 * Reads an input of a model that reads images, and checks its size by its header, so that a file that
 * cannot be decoded with reasonable memory is rejected before it is queued. `place` names the input in
 * messages.
 */
export function readImage(
  input: EngineInput,
  place: string,
  limits: ImageLimits,
): { readonly image: Uint8Array } {
  const image = fileOf(input, place);
  try {
    readImageSize(image, limits);
  } catch (error) {
    const { code, message } = AppError.from(error);
    const flags = code === 'TooLargeError' ? ' --max-image-bytes and --max-image-pixels set the limits.' : '';
    throw new AppError(code, `${place}: ${message}${flags}`, { cause: error });
  }
  return { image };
}

/** The failure of an image that cannot be read. Rethrows errors for which the image is not the reason. */
export function failedInput(error: unknown): FailedInference {
  const { code, message } = AppError.from(error);
  if (code !== 'InputError' && code !== 'TooLargeError') throw error;
  return { failure: message, isInput: true };
}

function fileOf(input: EngineInput, place: string): Uint8Array {
  if ('image' in input) return input.image;
  if ('imageUrl' in input) throw inputError(notFetched(place));
  if ('ids' in input) throw inputError(`${place} must be an image, not token ids.`);
  if (input.pair !== undefined) throw inputError(`${place} must be one image, not a pair.`);
  return imageInText(input.text, place);
}

/** Whether a text is a `data:` URL with the file of an image. */
export const isImageUrl = (text: string): boolean =>
  /^data:image\//i.test(text) && DATA_URL.test(text.slice(0, MAX_DATA_URL_HEAD));

/** The file of an image in base64 or in a `data:` URL. `place` names the input in messages. */
export function imageInText(text: string, place: string): Uint8Array {
  if (isUrl(text)) throw inputError(notFetched(place));
  const found = DATA_URL.exec(text.slice(0, MAX_DATA_URL_HEAD));
  const encoded = found ? text.slice(found[0].length) : text;
  const file = Buffer.from(encoded, 'base64');
  // Node ignores characters that do not belong to base64, so another text would be shortened silently.
  if (!isBase64Length(encoded, file.length)) {
    throw inputError(
      `${place} must be an image in base64 or a data: URL, not ${JSON.stringify(text.slice(0, SHOWN))}.`,
    );
  }
  return file;
}

/** Whether an image is given as a `data:` URL. */
export const isDataUrl = (text: string): boolean => /^data:/i.test(text);

/** Whether an image is given as a URL that has to be fetched. */
export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** The message for a URL if images are not fetched. */
export const notFetched = (place: string): string =>
  `${place} is a URL, but images are not fetched from URLs. Send the image itself, or start the program with --allow-image-urls and the host of the URL.`;

/** How messages name an image. Only the start of a text that contains a whole file is shown. */
export const shownName = (name: string): string =>
  name.length > (isDataUrl(name) ? SHOWN : MAX_PATH) ? `${name.slice(0, SHOWN)}…` : name;

const DATA_URL = /^data:[\w.+/-]{0,100}(?:;[\w.=+-]{1,100}){0,4};base64,/i;
const MAX_DATA_URL_HEAD = 600;
const SHOWN = 40;
/** Longer texts are not paths. */
const MAX_PATH = 4096;

/** Whether a text contains exactly this number of bytes in base64, apart from line feeds and padding. */
function isBase64Length(text: string, bytes: number): boolean {
  const digits = text.replace(/[\r\n=]/g, '').length;
  return digits > 0 && Math.floor((digits * 3) / 4) === bytes;
}

/** One white pixel. Its decoder is part of the program, so that it loads no other one. */
export const SMALLEST_IMAGE = { text: 'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==' };
