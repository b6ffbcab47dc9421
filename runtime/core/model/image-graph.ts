import type { ImageEncoder } from '#contract/image-settings.ts';
import type { Manifest } from '#contract/manifest.ts';

/** The graph that reads images. */
export const imageGraph = ({
  images,
  output,
  tokenizer,
}: Pick<Manifest, 'images' | 'output' | 'tokenizer'>): ImageEncoder =>
  images?.encoder ?? {
    output,
    positions: tokenizer.maxLength,
    hasConvolutions: images?.hasConvolutions,
  };
