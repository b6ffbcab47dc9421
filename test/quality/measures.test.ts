import { expect, test } from 'vitest';
import { type Definition, ndcg, type QualityData, qualityOf, spearman, textsOf } from './measures.ts';

test('rank correlation is that of SciPy, also for equal values', () => {
  // scipy.stats.spearmanr
  expect(spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])).toBeCloseTo(0.8207826816681233, 12);
  expect(spearman([0.3, 0.3, 0.1, 0.9], [4, 2, 2, 1])).toBeCloseTo(-0.5, 12);
});

test('nDCG counts the first ten results', () => {
  // sklearn.metrics.ndcg_score
  expect(ndcg([false, true, false, true])).toBeCloseTo(0.6509209298071323, 12);
  expect(ndcg([...Array.from({ length: 10 }, () => false), true])).toBe(0);
});

test('vectors that separate the texts perfectly have perfect measures', () => {
  const define = (word: string, topic: string, text: string): Definition => ({ words: [word], topic, text });
  const data: QualityData = {
    similarity: [
      {
        name: 'words',
        pairs: [
          ['cat', 'animal', 9],
          ['cat', 'stone', 1],
        ],
      },
    ],
    train: [define('cat', 'animals', 'animal'), define('granite', 'stones', 'stone')],
    test: [define('dog', 'animals', 'barking animal')],
    queries: ['cat'],
  };
  const vectors = new Map<string, number[]>([
    ['cat', [1, 0]],
    ['find: cat', [1, 0]],
    ['animal', [1, 0]],
    ['stone', [0, 1]],
    ['barking animal', [0.8, 0.6]],
  ]);
  expect(new Set(textsOf(data, 'find: '))).toEqual(new Set(vectors.keys()));
  expect(qualityOf(data, vectors, 'find: ')).toEqual({ similarity: [1], retrieval: 1, classification: 1 });
});
