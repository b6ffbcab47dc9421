import type { ImageRecipe } from './image-recipe.ts';

/** The manifest's settings for models that read images. */
export interface ImageSettings {
  /** How images become the input of the model. */
  readonly recipe: ImageRecipe;
  /** For models that only read images. */
  readonly hasConvolutions?: HasConvolutions | undefined;
  /** The encoder of images, for models with another one for texts. Default: the model itself. */
  readonly encoder?: ImageEncoder;
}

/**
 * Whether a graph consists of convolutions, so that servers arrange its weights in memory as this machine's CPU reads
 * them (docs/decisions/0194).
 */
type HasConvolutions = true;

/** The settings of a model with an encoder of images next to one of texts. */
export type TowerSettings = ImageSettings & Required<Pick<ImageSettings, 'encoder'>>;

/** An encoder of images with a graph of its own, which is the section `image-graph`. */
export interface ImageEncoder {
  /** Name of the graph's output. */
  readonly output: string;
  /** Number of positions that the encoder has for an image. */
  readonly positions: number;
  readonly hasConvolutions?: HasConvolutions | undefined;
}

/**
 * How the cosine similarity of a text and an image becomes a score, before the score function is
 * applied: similarity x scale + bias.
 */
export interface SimilarityScale {
  readonly scale: number;
  /** Undefined in models that compare the labels of an image with each other by softmax. */
  readonly bias?: number;
}
