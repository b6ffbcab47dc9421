import type { ImageRecipe } from './image-recipe.ts';

/** The manifest's settings for models that read images. */
export interface ImageSettings {
  /** How images become the input of the model. */
  readonly recipe: ImageRecipe;
}
