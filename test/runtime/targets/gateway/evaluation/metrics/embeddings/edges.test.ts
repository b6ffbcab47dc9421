import { array, assert, double, float, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { retrievalRow, retrieval } from '#gateway/evaluation/metrics/embeddings/retrieval.ts';
import { similarityMetric } from '#gateway/evaluation/metrics/embeddings/similarity.ts';
import { scoreRows, within } from '../golden-metrics.ts';

const FINITE = { noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 };

describe('similarity metrics', () => {
  test.each([
    ['vectors of different sizes', { prediction: [1, 2], reference: [1] }, 'Vectors of 2 and 1 dimensions'],
    ['empty vectors', { prediction: [], reference: [] }, 'Vectors of 0 and 0 dimensions'],
    ['infinite values', { prediction: [Infinity], reference: [1] }, 'is not finite'],
    ['an invalid gold value', { prediction: [1], reference: [1], gold: Number.NaN }, 'similarity is NaN'],
  ])('rejects %s and stays unchanged', (_name, row, message) => {
    const metric = similarityMetric({});
    metric.add({ prediction: [1, 2], reference: [2, 1], gold: 3 });
    const before = metric.save();
    expect(() => metric.add(row)).toThrow(AppError);
    expect(() => metric.add(row)).toThrow(message);
    expect(metric.save()).toEqual(before);
  });

  test('a cosine lies between -1 and 1, and is 1 for a vector with itself', () => {
    assert(
      property(array(double(FINITE), { minLength: 1, maxLength: 8 }), (vector) => {
        const other = vector.toReversed();
        expect(cosineOf(vector, other)).toSatisfy(within(-1, 1));
        const hasDirection = vector.some((value) => Math.abs(value) > 1e-100);
        expect(cosineOf(vector, vector)).toSatisfy(within(hasDirection ? 1 : 0, 1));
      }),
    );
  });

  test('the correlation with ratings is undefined if all pairs of texts are identical, despite rounding errors', () => {
    const vectors = Array.from({ length: 30 }, (_, at) => [Math.sin(at), Math.cos(at * 3), at / 7]);
    const rows = vectors.map((vector, at) => ({ prediction: vector, reference: vector, gold: at }));
    const { values, reasons } = scoreRows(similarityMetric, {}, rows).result;
    expect(values).toMatchObject({ pearson: null, spearman: null });
    expect(values['cosine_mean']).toBeCloseTo(1);
    expect(reasons['spearman']).toContain('All values on one side are equal');
  });

  test('rows without a gold value count only in the mean', () => {
    const rows = [{ gold: 1 }, {}, { gold: 2 }, {}].map((gold, at) => ({
      prediction: [1, at],
      reference: [1, 0],
      ...gold,
    }));
    const { values, detail } = scoreRows(similarityMetric, {}, rows).result;
    expect(detail).toEqual({ rows: 4, rows_with_gold: 2 });
    expect(values['pearson']).toBeCloseTo(-1);
  });
});

describe('retrieval metrics', () => {
  test.each([
    [
      'lists of different lengths',
      { prediction: [1, 2], reference: [1] },
      '2 candidates have a score and 1 have a relevance.',
    ],
    ['no candidates', { prediction: [], reference: [] }, '0 candidates have a score and 0 have a relevance.'],
    ['a score that is not a number', { prediction: [Number.NaN], reference: [1] }, 'has the score NaN.'],
    ['a relevance below 0', { prediction: [1], reference: [-1] }, 'has the relevance -1.'],
  ])('rejects %s and stays unchanged', (_name, row, message) => {
    const metric = retrieval({});
    metric.add({ prediction: [1, 2], reference: [0, 1] });
    const before = metric.save();
    expect(() => metric.add(row)).toThrow(AppError);
    expect(() => metric.add(row)).toThrow(message);
    expect(metric.save()).toEqual(before);
  });

  test('rejects an invalid rank', () => {
    expect(() => retrieval({ ranks: [1, 0] })).toThrow(
      'Invalid rank 0. It must be an integer of at least 1.',
    );
  });

  test('the order of candidates with equal scores does not affect the metrics', () => {
    const add = (reference: number[]) =>
      retrieval({ ranks: [1] }).add({ prediction: [0.5, 0.5, 0.5, 0.5], reference });
    expect(add([1, 0, 0, 0])).toEqual({ mrr: 0.25, recall_at_1: 0, ndcg_at_1: 0.25 });
    expect(add([0, 0, 0, 1])).toEqual(add([1, 0, 0, 0]));
  });

  test('counts queries without relevant candidates as 0 and reports their number', () => {
    const rows = [
      { prediction: [1, 0], reference: [0, 0] },
      { prediction: [1, 0], reference: [1, 0] },
    ];
    const { values, detail } = scoreRows(retrieval, { ranks: [1] }, rows).result;
    expect(values).toEqual({ mrr: 0.5, recall_at_1: 0.5, ndcg_at_1: 0.5 });
    expect(detail).toEqual({ rows: 2, queries_without_relevant: 1 });
  });

  test('the relevant document is ranked first if its vector is closest to the query', () => {
    const candidates = [Float32Array.of(1, 0), Float32Array.of(0.6, 0.8), Float32Array.of(0, 1)];
    const row = retrievalRow(Float32Array.of(0.5, 0.9), candidates, new Set([1]));
    expect(row.reference).toEqual([0, 1, 0]);
    expect(retrieval({ ranks: [1] }).add(row)).toEqual({ mrr: 1, recall_at_1: 1, ndcg_at_1: 1 });
  });

  test('values lie between 0 and 1, and the ideal order has nDCG 1', () => {
    assert(
      property(array(float({ noNaN: true, min: 0, max: 3 }), { minLength: 1, maxLength: 12 }), (gains) => {
        const scores = retrieval({}).add({ prediction: gains.toReversed(), reference: gains });
        for (const score of Object.values(scores)) expect(score).toSatisfy(within(0, 1));
        const best = retrieval({ ranks: [3] }).add({ prediction: gains, reference: gains });
        expect(best['ndcg_at_3']).toBeCloseTo(gains.some((gain) => gain > 0) ? 1 : 0);
      }),
    );
  });
});

const cosineOf = (prediction: readonly number[], reference: readonly number[]): number =>
  similarityMetric({}).add({ prediction, reference })['cosine_mean'] ?? Number.NaN;
