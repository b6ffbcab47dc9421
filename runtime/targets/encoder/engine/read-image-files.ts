import { readFile, stat } from 'node:fs/promises';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import { imageGraph } from '#core/model/image-graph.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { failedInput, readImage } from './image-input.ts';

/** Reads the files of images. A file that is not an image does not affect the others. */
export const readImageFiles = (
  paths: readonly string[],
  manifest: Manifest,
  limits: ImageLimits,
): Promise<(TokenizedText | FailedInference)[]> => {
  const { positions } = imageGraph(manifest);
  return Promise.all(
    paths.map(async (path) => {
      try {
        const { image } = readImage(await inputOf(path, limits), path, limits);
        return { ids: new Int32Array(positions), image, truncated: false };
      } catch (error) {
        return failedInput(error);
      }
    }),
  );
};

async function inputOf(path: string, limits: ImageLimits) {
  if (path.startsWith('data:')) return { text: path };
  const found = await stat(path).catch(() => undefined);
  if (!found) throw inputError(`No such file: ${path}. Pass the path of an image, or a data: URL.`);
  if (!found.isFile()) throw inputError(`${path} is not a file. Pass the path of an image.`);
  if (found.size > limits.bytes)
    throw inputError(
      `${path} has ${found.size} bytes; at most ${limits.bytes} are allowed. Use a smaller image.`,
    );
  return { image: await readFile(path) };
}
