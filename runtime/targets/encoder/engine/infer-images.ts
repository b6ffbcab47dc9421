import type { FailedInference } from '#core/model/raw-output.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { itemAt } from '#core/values/item-at.ts';
import { pushAll } from '#core/values/push-all.ts';
import type { Inference } from '../math/inference.ts';
import { shownName } from './image-input.ts';

/** Number of image files in memory at the same time, while the model runs as many others. */
const FILES_AT_ONCE = 16;

interface Steps {
  readonly read: (names: readonly string[]) => Promise<(TokenizedText | FailedInference)[]>;
  readonly run: (images: readonly TokenizedText[]) => Promise<(Inference | FailedInference)[]>;
}

/**
 * Reads images and runs the model on those that could be read, a few at a time, so that a folder with
 * thousands of photographs does not have to fit into memory. The next images are read while the model runs.
 */
export async function inferImages(
  names: readonly string[],
  { read, run }: Steps,
): Promise<(Inference | FailedInference)[]> {
  const results: (Inference | FailedInference)[] = [];
  const readFrom = (start: number): ReturnType<typeof read> => {
    const reading = read(names.slice(start, start + FILES_AT_ONCE));
    // A failure is reported when the promise is awaited.
    reading.catch(() => {});
    return reading;
  };
  let next = readFrom(0);
  for (let start = 0; start < names.length; start += FILES_AT_ONCE) {
    const images = await next;
    if (start + FILES_AT_ONCE < names.length) next = readFrom(start + FILES_AT_ONCE);
    pushAll(results, await runRead(run, images, names.slice(start, start + FILES_AT_ONCE)));
  }
  return results;
}

/** Runs the images that could be read. Messages about the others start with their name. */
async function runRead(
  run: Steps['run'],
  images: readonly (TokenizedText | FailedInference)[],
  names: readonly string[],
): Promise<(Inference | FailedInference)[]> {
  const inferred = await run(images.flatMap((image) => ('failure' in image ? [] : [image])));
  let next = 0;
  return images.map((image, at) => {
    if ('failure' in image) return image;
    const result = itemAt(inferred, next++);
    if (!('failure' in result)) return result;
    return { ...result, failure: `${shownName(itemAt(names, at))}: ${result.failure}` };
  });
}
