import { expect, test } from 'vitest';
import { bertscore, bertScore } from '#gateway/evaluation/metrics/text/bertscore.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

const golden = readGoldenTexts();

test('scores match numpy', () => {
  expect(golden.bertscore.some(({ weights }) => weights !== undefined)).toBe(true);
  expect(
    farOff(golden.bertscore, ({ vectors, weights, scores }) => {
      const [prediction, reference] = [0, 1].map((side) => ({
        vectors: vectors[side] ?? [],
        weights: weights?.[side],
      }));
      if (prediction === undefined || reference === undefined) throw new Error('a pair has two sides');
      return { found: Object.values(bertscore({}).add({ prediction, reference })), wanted: scores };
    }),
  ).toEqual([]);
});

test('a text scores 1 against itself, and vector lengths do not matter', () => {
  const vectors = [Float32Array.of(1, 2), Float32Array.of(-3, 0.5)];
  const stretched = vectors.map((vector) => vector.map((value) => value * 8));
  const { precision, recall, f1 } = bertScore({ vectors }, { vectors: stretched });
  for (const score of [precision, recall, f1]) expect(score).toBeCloseTo(1, 9);
});

test('missing vectors, zero vectors and zero weights score 0, and mismatched lengths are rejected with a reason', () => {
  const one = { vectors: [Float32Array.of(1, 0)] };
  const nothing = { precision: 0, recall: 0, f1: 0 };
  expect(bertScore({ vectors: [] }, one)).toEqual(nothing);
  expect(bertScore({ vectors: [Float32Array.of(0, 0)] }, one)).toEqual(nothing);
  expect(bertScore({ ...one, weights: [0] }, one)).toEqual({ precision: 0, recall: 1, f1: 0 });
  expect(() => bertScore({ ...one, weights: [] }, one)).toThrow('There are 0 weights for 1 tokens.');
  expect(() => bertScore({ vectors: [Float32Array.of(1)] }, one)).toThrow('Vectors of 1 and 2 dimensions');
});
