import { readFile, stat } from 'node:fs/promises';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { failedInput, isDataUrl, readImage, shownName } from './image-input.ts';

/** Reads the files of images. A file that is not an image does not affect the others. */
export const readImageFiles = (
  paths: readonly string[],
  { tokenizer }: Pick<Manifest, 'tokenizer'>,
  limits: ImageLimits,
): Promise<(TokenizedText | FailedInference)[]> =>
  Promise.all(
    paths.map(async (path) => {
      try {
        const { image } = readImage(await inputOf(path, limits), shownName(path), limits);
        return { ids: new Int32Array(tokenizer.maxLength), image, truncated: false };
      } catch (error) {
        return failedInput(error);
      }
    }),
  );

async function inputOf(path: string, limits: ImageLimits) {
  if (isDataUrl(path)) return { text: path };
  if (path === '') throw inputError('The path of an image is empty. Pass the path of an image.');
  const found = await stat(path).catch(() => undefined);
  if (!found) throw inputError(`No such file: ${path}. Pass the path of an image, or a data: URL.`);
  if (!found.isFile()) throw inputError(`${path} is not a file. Pass the path of an image.`);
  if (found.size > limits.bytes)
    throw inputError(
      `${path} has ${found.size} bytes; at most ${limits.bytes} are allowed (--max-image-bytes). Use a smaller image.`,
    );
  return { image: await readFile(path) };
}
