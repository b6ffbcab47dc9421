import { expect, test } from 'vitest';
import { bertscore, bertScore } from '#gateway/evaluation/metrics/text/bertscore.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

const golden = readGoldenTexts();

test('matches match those of numpy', () => {
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

test('a text is as good as itself, and vectors of any length count the same', () => {
  const vectors = [Float32Array.of(1, 2), Float32Array.of(-3, 0.5)];
  const stretched = vectors.map((vector) => vector.map((value) => value * 8));
  const { precision, recall, f1 } = bertScore({ vectors }, { vectors: stretched });
  for (const score of [precision, recall, f1]) expect(score).toBeCloseTo(1, 9);
});

test('values that cannot be compared score 0 or have a reason', () => {
  const one = { vectors: [Float32Array.of(1, 0)] };
  const nothing = { precision: 0, recall: 0, f1: 0 };
  expect(bertScore({ vectors: [] }, one)).toEqual(nothing);
  expect(bertScore({ vectors: [Float32Array.of(0, 0)] }, one)).toEqual(nothing);
  expect(bertScore({ ...one, weights: [0] }, one)).toEqual({ precision: 0, recall: 1, f1: 0 });
  expect(() => bertScore({ ...one, weights: [] }, one)).toThrow('There are 0 weights for 1 tokens.');
  expect(() => bertScore({ vectors: [Float32Array.of(1)] }, one)).toThrow('Vectors of 1 and 2 dimensions');
});
