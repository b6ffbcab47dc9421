import { expect, test } from 'vitest';
import { ranking } from '#gateway/evaluation/metrics/classification/ranking.ts';
import { type GoldenValues, readGolden, scoreRows, wrongNumber } from '../golden-metrics.ts';

interface GoldenRanking {
  readonly labels: readonly string[];
  readonly scores: readonly (readonly number[])[];
  readonly truth: readonly (readonly number[])[];
  readonly values: GoldenValues;
}

const rowsOf = ({ labels, scores, truth }: GoldenRanking) =>
  scores.map((values, at) => ({
    reference: labels.filter((_label, label) => truth[at]?.[label] === 1),
    scores: Object.fromEntries(labels.map((label, position) => [label, values[position] ?? 0])),
  }));

test('ranking metrics match scikit-learn', () => {
  const golden = readGolden('rankings') as readonly GoldenRanking[];
  expect(golden.length).toBe(60);
  const wrong = golden.flatMap((one, number) => {
    const { result } = scoreRows(ranking, {}, rowsOf(one));
    return Object.entries(one.values).flatMap(([name, value]) =>
      wrongNumber(result.values[name], value, `${number} ${name}`),
    );
  });
  expect(wrong).toEqual([]);
});

test('a row without a response counts as wrong in top-k accuracy and is excluded from ranking metrics', () => {
  const metric = ranking({});
  expect(metric.result().reasons['roc_auc']).toBe('No row was scored.');
  const scores = { a: 0.7, b: 0.2, c: 0.1 };
  expect(metric.add({ reference: ['b'], scores })).toEqual({
    top_2_accuracy: 1,
    top_3_accuracy: 1,
    top_5_accuracy: 1,
  });
  expect(metric.result().reasons).toHaveProperty('roc_auc');
  metric.add({ reference: ['a'], scores });
  expect(metric.add({ reference: ['a'], scores: null })).toMatchObject({ top_5_accuracy: 0 });
  expect(metric.add({ reference: ['unknown'], scores })).toMatchObject({ top_5_accuracy: 0 });
  expect(metric.add({ reference: ['a', 'b'], scores })).toEqual({});
  expect(metric.result().values).toMatchObject({ top_2_accuracy: 0.5, roc_auc: 0.5 });
});
