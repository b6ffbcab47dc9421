import { expect, test } from 'vitest';
import { accuracyOf, type Compare, type Compared, reasonAgainst } from '#cli/packaging/quantize/accuracy.ts';
import {
  compareAnswers,
  compareTextScores,
  compareTextVectors,
  compareTokenScores,
  compareTokenVectors,
} from '#cli/packaging/model/compare.ts';

const vector = (...values: number[]): Compared => ({ kind: 'vectors', rows: [Float32Array.of(...values)] });
const scores = (...values: number[]): Compared => ({ kind: 'scores', rows: [Float32Array.of(...values)] });
const score = (value: number): Compared => ({ kind: 'score', value });

test('vectors are compared by cosine similarity and by nearest neighbors', () => {
  const angles = Array.from({ length: 12 }, (_, at) => at / 10);
  const original = angles.map((angle) => vector(Math.cos(angle), Math.sin(angle)));
  expect(accuracyOf(original, original)).toEqual({
    texts: 12,
    cosine: { mean: expect.closeTo(1, 6), worst: expect.closeTo(1, 6) },
    neighbors: 1,
  });
  // The first vector moves to the opposite end, so each of the others loses or gains it as a neighbor.
  const moved = [vector(Math.cos(1.2), Math.sin(1.2)), ...original.slice(1)];
  const { cosine, neighbors } = accuracyOf(original, moved);
  expect(cosine?.worst).toBeCloseTo(Math.cos(1.2), 5);
  expect(neighbors).toBeGreaterThan(0.8);
  expect(neighbors).toBeLessThan(1);
});

test('labels are compared by the top score, single scores by their ranking, and both by the largest score difference', () => {
  expect(accuracyOf([scores(0.9, 0.1), scores(0.4, 0.6)], [scores(0.7, 0.3), scores(0.51, 0.49)])).toEqual({
    texts: 2,
    agreement: 0.5,
    scoreDifference: expect.closeTo(0.2, 5),
  });
  expect(accuracyOf([score(1), score(2), score(3)], [score(1), score(3.5), score(3)])).toEqual({
    texts: 3,
    agreement: expect.closeTo(2 / 3, 6),
    scoreDifference: 1.5,
  });
});

test('a model below the threshold is rejected with the measured value', () => {
  const thresholds = { minCosine: 0.995, minAgreement: 0.98 };
  const cosine = (mean: number) => reasonAgainst({ texts: 9, cosine: { mean, worst: 0 } }, thresholds);
  expect(cosine(0.995)).toBeUndefined();
  expect(cosine(0.99498)).toBe('the mean cosine to float32 is 0.9949, below `min_cosine` (0.995)');
  expect(cosine(Number.NaN)).toContain('NaN');
  expect(reasonAgainst({ texts: 9, agreement: 0.5 }, thresholds)).toBe(
    '50.0% of the labels agree with float32, below `min_agreement` (0.98)',
  );
});

test.each<[string, Compare, number, Compared]>([
  ['pooled vectors', compareTextVectors(2, 'mean'), 4, vector(2, 3)],
  ['vectors of texts', compareTextVectors(4), 4, vector(1, 2, 3, 4)],
  [
    'vectors of tokens',
    compareTokenVectors(2),
    4,
    { kind: 'vectors', rows: [Float32Array.of(1, 2), Float32Array.of(3, 4)] },
  ],
  ['a single score', compareTextScores(1), 1, score(1)],
  ['scores of a text', compareTextScores(2), 2, { kind: 'scores', rows: [softmax(1, 2)] }],
  ['scores of tokens', compareTokenScores(2), 4, { kind: 'scores', rows: [softmax(1, 2), softmax(3, 4)] }],
  ['answers', compareAnswers, 4, { kind: 'scores', rows: [softmax(1, 3), softmax(2, 4)] }],
])('%s are compared in the form that users see', (_, compare, count, expected) => {
  expect(compare(Float32Array.from({ length: count }, (_value, at) => at + 1))).toEqual(expected);
});

function softmax(a: number, b: number): Float32Array {
  const first = 1 / (1 + Math.exp(b - a));
  return Float32Array.of(first, 1 - first);
}
