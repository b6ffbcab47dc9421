import type { ImageRecipe, ImageSize } from '#contract/image-recipe.ts';

/** The sizes of the tensors that a model reads. */
interface TensorSize extends ImageSize {
  /** Whether this is the largest size, in either orientation, instead of the only one. */
  readonly isLargest: boolean;
}

/** The size of tensors; undefined if they can have any size. */
export function tensorSize({ size, resize }: ImageRecipe): TensorSize | undefined {
  if (size) return { height: size.height, width: size.width, isLargest: false };
  const to = resize?.to;
  if (to?.kind === 'edges') return { height: to.shortest, width: to.longest, isLargest: true };
  return to?.kind === 'within' ? { height: to.height, width: to.width, isLargest: true } : undefined;
}
