import { configError } from '#contract/errors.ts';
import { pushAll } from '#core/values/push-all.ts';
import { imagesInFolder, isFolder } from '#platform/images/image-folder.ts';

export interface ImageArguments {
  /** Paths of images and `data:` URLs. */
  readonly images: readonly string[];
  /** Whether some of them are from a folder, so that the caller cannot know their order. */
  readonly hasFolder: boolean;
}

/**
 * The images of the arguments: a folder stands for the images in it, and `-` for an image on standard input.
 */
export async function imageArguments(given: readonly string[], maxBytes: number): Promise<ImageArguments> {
  if (given.indexOf('-') !== given.lastIndexOf('-')) {
    throw configError('Standard input (-) can only contain one image. Pass - once.');
  }
  const images: string[] = [];
  let hasFolder = false;
  for (const argument of given) {
    if (argument === '-') images.push(await imageOnStdin(maxBytes));
    else if (isFolder(argument)) {
      hasFolder = true;
      pushAll(images, imagesInFolder(argument));
    } else images.push(argument);
  }
  return { images, hasFolder };
}

/** The image on standard input as a `data:` URL. One byte too many is enough to reject it later. */
async function imageOnStdin(maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) break;
  }
  if (length === 0)
    throw configError('Standard input contains no image. Pipe an image file into the command.');
  return `data:;base64,${Buffer.concat(pieces).toString('base64')}`;
}
