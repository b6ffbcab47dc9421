import { join } from 'node:path';
import { FIXTURES } from '#test/helpers/paths.ts';

/** Fixture models with different interfaces: each model type, and variants of a type with additional routes or fields. */
export const FIXTURE_MODELS = [
  'embedder',
  'splade',
  'fill-mask',
  'sentiment',
  'reranker',
  'multilabel',
  'nli',
  'qa',
  'ner',
  'gliner-span',
  'gliner-token',
  'sentence',
  'sentence-modules',
  'm3',
  'multi-vector',
  'shapes',
  'patches',
  'regions',
  'boxes',
  'clip',
  'siglip-labels',
] as const;

const golden = (name: string): string => join(FIXTURES, 'golden', name);

export const MANIFESTS = golden('manifests.json');
export const SURFACES = golden('surfaces.json');
export const INFER_HELP = golden('infer-help.txt');
