import { join } from 'node:path';
import { FIXTURES } from '../helpers/paths.ts';

/** A call of a fixture model, as a program and as a request: images are paths for programs. */
export interface LibraryCase {
  readonly model: string;
  readonly inputs: readonly unknown[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const TEXTS = ['I love this', 'Anna lives in Berlin.'];
const image = (name: string): string => join(FIXTURES, 'images', name);
const IMAGES = [image('640x480.jpg'), image('grey-16.png'), image('animated.webp')];

/** At least one call for each model type. */
export const LIBRARY_CASES: readonly LibraryCase[] = [
  { model: 'sentence', inputs: TEXTS, options: { dimensions: 16, normalize: true } },
  { model: 'static', inputs: TEXTS },
  { model: 'two-forms', inputs: TEXTS, options: { stage: 'fast' } },
  { model: 'm3', inputs: TEXTS, options: { outputs: ['dense', 'sparse', 'multi_vector'] } },
  { model: 'embedder', inputs: TEXTS },
  { model: 'embedder', inputs: TEXTS, options: { pooling: 'none' } },
  { model: 'splade', inputs: TEXTS, options: { tokens: true } },
  { model: 'sparse-queries', inputs: TEXTS, options: { input_type: 'query' } },
  { model: 'multi-vector', inputs: TEXTS, options: { input_type: 'query' } },
  { model: 'sentiment', inputs: [...TEXTS, ['a', 'pair']], options: { top_k: 1 } },
  { model: 'reranker', inputs: [['What?', 'A document.']] },
  { model: 'nli', inputs: TEXTS, options: { candidate_labels: ['person', 'city'], multi_label: true } },
  { model: 'qa', inputs: [{ question: 'Who lives in Berlin?', context: 'Anna lives in Berlin.' }] },
  { model: 'ner', inputs: TEXTS, options: { aggregation: 'simple' } },
  { model: 'gliner-span', inputs: TEXTS, options: { labels: ['person', 'city'] } },
  { model: 'fill-mask', inputs: ['I [MASK] this.'], options: { top_k: 2 } },
  { model: 'shapes', inputs: IMAGES, options: { top_k: 1 } },
  { model: 'patches', inputs: IMAGES },
  { model: 'regions', inputs: IMAGES, options: { mask: 'png' } },
  { model: 'boxes', inputs: IMAGES },
  { model: 'clip', inputs: [...TEXTS, ...IMAGES.map((path) => ({ image: path }))] },
  { model: 'clip-labels', inputs: IMAGES, options: { candidate_labels: ['a cat', 'a dog'] } },
];
