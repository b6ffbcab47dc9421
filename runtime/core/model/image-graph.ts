import type { ImageEncoder } from '#contract/image-settings.ts';
import type { Manifest } from '#contract/manifest.ts';

/** The output of the graph that reads images, and the number of positions that it has for an image. */
export const imageGraph = ({
  images,
  output,
  tokenizer,
}: Pick<Manifest, 'images' | 'output' | 'tokenizer'>): ImageEncoder =>
  images?.encoder ?? { output, positions: tokenizer.maxLength };
