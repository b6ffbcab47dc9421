import { configError } from '#contract/errors.ts';
import type { ImageSettings } from '#contract/image-settings.ts';
import { tensorSize } from '#core/images/tensor-size.ts';
import { type ImageProcessor, readImageProcessor } from './read-processor.ts';

interface ReadImageSettings {
  readonly images: Pick<ImageSettings, 'recipe'>;
  readonly processor: ImageProcessor;
  /** Where the pixels can differ from those of the model's library; undefined if they are the same. */
  readonly note: string | undefined;
}

/** Reads how a model's images are prepared. All images must get the same size, unless the model reads any size. */
export async function readImageSettings(folder: string, readsAnySize = false): Promise<ReadImageSettings> {
  const processor = await readImageProcessor(folder);
  const { name, asksForFast, recipe } = processor;
  const size = tensorSize(recipe);
  if (!size || (size.isLargest && !readsAnySize)) {
    throw configError(
      `${folder} gives each image another size, which is not supported. Choose a model whose images all have the same size.`,
    );
  }
  return {
    images: { recipe },
    processor,
    note: asksForFast
      ? `The model's settings name ${name}Fast. Images are resized as ${name} does; its pixels can differ by 1 of 255.`
      : undefined,
  };
}
