import type { ImageRecipe, ImageSize } from './image-recipe.ts';

/** The manifest's settings for models that read images. */
export interface ImageSettings {
  /** How images become the input of the model. All images have the same size. */
  readonly recipe: ImageRecipe & { readonly size: ImageSize };
}
