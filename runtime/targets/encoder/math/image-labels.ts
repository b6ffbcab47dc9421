import type { Manifest } from '#contract/manifest.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import { similarityOf } from './similarity.ts';

/** Labels, and the L2-normalized vector of the text about each of them. */
export interface ImageLabels {
  readonly labels: readonly string[];
  readonly vectors: readonly Float32Array[];
}

/** The labels of an image with their scores, formatted for printing; the label with the highest score first. */
export function rankImageLabels(
  image: Float32Array,
  { labels, vectors }: ImageLabels,
  { similarityScale, scoreFunction = 'softmax' }: Pick<Manifest, 'similarityScale' | 'scoreFunction'>,
): { readonly labels: readonly string[]; readonly scores: readonly number[] } {
  if (!similarityScale) throw new Error('the model has no scale for similarities');
  const { scale, bias = 0 } = similarityScale;
  const logits = Float32Array.from(vectors, (vector) => similarityOf('cosine', image, vector) * scale + bias);
  const scores = applyScoreFunction(scoreFunction, logits);
  const ranked = labels
    .map((label, at) => ({ label, score: scores[at] ?? 0 }))
    .toSorted((one, other) => other.score - one.score);
  return {
    labels: ranked.map(({ label }) => label),
    scores: ranked.map(({ score }) => shortestFloat32(score)),
  };
}
