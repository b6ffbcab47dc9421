import { readFile } from 'node:fs/promises';
import type { ImageRecipe, ImageSize } from '#contract/image-recipe.ts';
import { configError, messageOf } from '#contract/errors.ts';
import { drawnImage } from '#core/images/drawn-image.ts';
import { tensorMaker } from '#core/images/image-tensor.ts';
import { RGB, type RgbImage } from '#core/images/rgb-image.ts';
import { itemAt } from '#core/values/item-at.ts';
import { decodeImage } from '#platform/images/decode-image.ts';
import { wasmPasses } from '#platform/images/pixels/wasm-passes.ts';
import { imagesInFolder, isFolder } from '#platform/images/image-folder.ts';
import { splitSamples, spread } from './calibration-texts.ts';

/** Tensors of images for quantization. */
export interface CalibrationImages {
  readonly calibration: readonly Float32Array[];
  readonly heldOut: readonly Float32Array[];
}

/** Number of images that are drawn. */
const DRAWN_IMAGES = 128;
/** The drawn images have these sizes, because models resize and crop images of different shapes differently. */
const DRAWN_SIZES: readonly ImageSize[] = [
  { width: 320, height: 240 },
  { width: 240, height: 320 },
  { width: 256, height: 256 },
];
/** Minimum number of images. Fewer images are not sufficient to measure the accuracy. */
const MIN_IMAGES = 40;
/** Maximum number of images to use. More images take more time, but hardly change the result. */
const MAX_IMAGES = 400;
/** Maximum memory for tensors, unless the minimum number of images needs more. */
const MAX_BYTES = 256 * 2 ** 20;

/** Reads the images in the user's folder, or draws images, and prepares them as the model states. */
export async function readCalibrationImages(
  folder: string | undefined,
  recipe: ImageRecipe & { readonly size: ImageSize },
): Promise<CalibrationImages> {
  const { width, height } = recipe.size;
  const fitting = Math.floor(MAX_BYTES / (width * height * RGB * Float32Array.BYTES_PER_ELEMENT));
  const count = Math.max(MIN_IMAGES, Math.min(MAX_IMAGES, fitting));
  const makeTensor = tensorMaker(recipe, wasmPasses);
  const tensors: Float32Array[] = [];
  for await (const image of folder === undefined ? drawnImages(count) : imagesOf(folder, count, recipe)) {
    tensors.push(makeTensor(image).values);
  }
  return splitSamples(tensors);
}

function* drawnImages(count: number): Generator<RgbImage> {
  for (let number = 0; number < Math.min(count, DRAWN_IMAGES); number += 1) {
    yield drawnImage(number, itemAt(DRAWN_SIZES, number % DRAWN_SIZES.length));
  }
}

async function* imagesOf(folder: string, count: number, { alpha }: ImageRecipe): AsyncGenerator<RgbImage> {
  if (!isFolder(folder)) {
    throw configError(
      `\`calibration\` is ${folder}, which is not a folder. For a model that reads images, set it to a folder with images.`,
    );
  }
  const paths = imagesInFolder(folder);
  if (paths.length < MIN_IMAGES) {
    throw configError(
      `\`calibration\` is ${folder}, which contains ${paths.length} images; at least ${MIN_IMAGES} are required. Add images, or remove \`calibration\` to use images that encoderfile draws.`,
    );
  }
  for (const path of spread(paths, count)) {
    try {
      yield await decodeImage(await readFile(path), alpha);
    } catch (error) {
      throw configError(
        `\`calibration\` contains ${path}, which cannot be read: ${messageOf(error)} Remove it from the folder.`,
        error,
      );
    }
  }
}
