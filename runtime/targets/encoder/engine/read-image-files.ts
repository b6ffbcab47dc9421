import { readFile, stat } from 'node:fs/promises';
import { AppError, inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import { imageGraph } from '#core/model/image-graph.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { errorCode } from '#core/values/error-code.ts';
import { failedInput, isDataUrl, isUrl, notFetched, readImage, shownName } from './image-input.ts';
import type { ImageUrls } from './image-urls.ts';

export interface ImageDoors {
  readonly limits: ImageLimits;
  /** Fetches images from URLs. Undefined: they are rejected. */
  readonly urls?: Pick<ImageUrls, 'fetch'> | undefined;
}

/** Reads the files of images. A file that is not an image does not affect the others. */
export const readImageFiles = (
  paths: readonly string[],
  manifest: Manifest,
  { limits, urls }: ImageDoors,
): Promise<(TokenizedText | FailedInference)[]> => {
  const { positions } = imageGraph(manifest);
  return Promise.all(
    paths.map(async (path) => {
      try {
        const { image } = readImage(await inputOf(path, { limits, urls }), shownName(path), limits);
        return { ids: new Int32Array(positions), image, truncated: false };
      } catch (error) {
        return failedInput(error);
      }
    }),
  );
};

async function inputOf(path: string, { limits, urls }: ImageDoors) {
  if (isUrl(path)) {
    if (!urls) throw inputError(notFetched(path));
    return { image: await fetchNamed(urls, path) };
  }
  if (isDataUrl(path)) return { text: path };
  if (path === '') throw inputError('The path of an image is empty. Pass the path of an image.');
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw unreadable(path, error);
    throw inputError(`No such file: ${shownName(path)}. Pass the path of an image, or a data: URL.`, error);
  });
  if (!found.isFile()) throw inputError(`${path} is not a file. Pass the path of an image.`);
  if (found.size > limits.bytes)
    throw inputError(
      `${path} has ${found.size} bytes; at most ${limits.bytes} are allowed (--max-image-bytes). Use a smaller image.`,
    );
  try {
    return { image: await readFile(path) };
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, cause: unknown): AppError =>
  inputError(
    `Cannot read ${shownName(path)} (${errorCode(cause) ?? 'unknown error'}). Pass the path of an image that this user can read.`,
    cause,
  );

async function fetchNamed(urls: Pick<ImageUrls, 'fetch'>, url: string): Promise<Uint8Array> {
  try {
    return await urls.fetch(url);
  } catch (error) {
    const { code, message } = AppError.from(error);
    throw new AppError(code, `Cannot fetch ${url}: ${message}`, { cause: error });
  }
}
