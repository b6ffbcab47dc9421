import type { Manifest } from '#contract/manifest.ts';
import { vectorWidth } from './vector-width.ts';

/** The size of a result, for tables: the dimensions of a vector, or what a zero_shot_ner model scores. */
export function outputSize(model: Pick<Manifest, 'entities' | 'sentence' | 'width'>): string {
  if (!model.entities) return `${vectorWidth(model)} dimensions`;
  const { level, maxWidth } = model.entities;
  return level === 'span' ? `spans of up to ${maxWidth} words` : 'scores of words';
}
