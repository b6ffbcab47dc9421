import type { Manifest } from '#contract/manifest.ts';
import type { LayerSettings, SentenceSettings } from '#contract/sentence.ts';

/** Number of dimensions of a model's vectors, before truncation. */
export function vectorWidth({
  sentence,
  width,
}: Pick<Manifest, 'width'> & {
  readonly sentence?: Pick<SentenceSettings, 'pooling' | 'layers'>;
}): number {
  if (!sentence) return width;
  const pooled = pooledWidth(sentence.pooling, width);
  return (sentence.layers ?? []).reduce(layerWidth, pooled);
}

/** The greatest number of dimensions that a request can set, for a file with one form or both forms. */
export const maxVectorWidth = (manifest: Manifest): number =>
  Math.max(vectorWidth(manifest), manifest.staticForm?.width ?? 0);

/** Number of dimensions of a pooled vector, given that of a token vector. */
export const pooledWidth = (pooling: string | readonly string[], width: number): number =>
  width * [pooling].flat().length;

const layerWidth = (width: number, layer: LayerSettings): number =>
  layer.kind === 'dense' ? layer.outputs : width;
