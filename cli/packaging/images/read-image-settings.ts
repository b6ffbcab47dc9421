import { configError } from '#contract/errors.ts';
import type { ImageSettings } from '#contract/image-settings.ts';
import { readImageProcessor } from './read-processor.ts';

interface ReadImageSettings {
  readonly images: Pick<ImageSettings, 'recipe'>;
  /** Where the pixels can differ from those of the model's library; undefined if they are the same. */
  readonly note: string | undefined;
}

/** Reads how a model's images are prepared. All images must get the same size. */
export async function readImageSettings(folder: string): Promise<ReadImageSettings> {
  const { name: processor, asksForFast, recipe } = await readImageProcessor(folder);
  const { size } = recipe;
  if (!size) {
    throw configError(
      `${folder} gives each image another size, which is not supported. Choose a model whose images all have the same size.`,
    );
  }
  return {
    images: { recipe: { ...recipe, size } },
    note: asksForFast
      ? `The model's settings name ${processor}Fast. Images are resized as ${processor} does; its pixels can differ by 1 of 255.`
      : undefined,
  };
}
