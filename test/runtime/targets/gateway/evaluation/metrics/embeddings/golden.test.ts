import { expect, test } from 'vitest';
import { pearson, spearman, similarityMetric } from '#gateway/evaluation/metrics/embeddings/similarity.ts';
import { retrieval } from '#gateway/evaluation/metrics/embeddings/retrieval.ts';
import { type GoldenValues, readGolden, scoreRows, wrongNumber, wrongValues } from '../golden-metrics.ts';

interface CorrelationCase {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly values: GoldenValues;
}
interface SimilarityCase {
  readonly one: readonly (readonly number[])[];
  readonly other: readonly (readonly number[])[];
  readonly gold: readonly number[] | null;
  readonly cosines: readonly number[];
  readonly values: GoldenValues;
}
interface RetrievalCase {
  readonly ranks: readonly number[];
  readonly queries: readonly (readonly [scores: readonly number[], gains: readonly number[]])[];
  readonly rows: readonly GoldenValues[];
  readonly values: GoldenValues;
}

const GOLDEN = readGolden('embeddings') as {
  readonly correlation: readonly CorrelationCase[];
  readonly similarity: readonly SimilarityCase[];
  readonly retrieval: readonly RetrievalCase[];
};

test('golden data contains many cases', () => {
  expect(GOLDEN.correlation.length).toBeGreaterThan(120);
  expect(GOLDEN.similarity.length).toBeGreaterThan(40);
  expect(GOLDEN.retrieval.length).toBeGreaterThan(80);
});

test.each([
  ['pearson', pearson],
  ['spearman', spearman],
])('%s matches scipy, and reports a reason where scipy returns no value', (name, measure) => {
  const wrong = GOLDEN.correlation.flatMap(({ xs, ys, values }, number) => {
    const measured = measure(xs, ys);
    return wrongNumber(typeof measured === 'string' ? null : measured, values[name], `case ${number}`);
  });
  expect(wrong).toEqual([]);
});

test('similarities match scikit-learn, and correlations with gold values match scipy', () => {
  const wrong = GOLDEN.similarity.flatMap(({ one, other, gold, cosines, values }, number) => {
    const rows = one.map((prediction, at) => ({
      prediction: Float64Array.from(prediction),
      reference: other[at] ?? [],
      ...(gold?.[at] === undefined ? {} : { gold: gold[at] }),
    }));
    const { result, scores } = scoreRows(similarityMetric, {}, rows);
    return [
      ...wrongValues(result, values, `case ${number}`),
      ...cosines.flatMap((cosine, at) =>
        wrongNumber(scores[at]?.['cosine_mean'], cosine, `case ${number}, row ${at}`),
      ),
    ];
  });
  expect(wrong).toEqual([]);
});

test('ranking metrics match scikit-learn and trec_eval', () => {
  const wrong = GOLDEN.retrieval.flatMap(({ ranks, queries, rows, values }, number) => {
    const given = queries.map(([prediction, reference]) => ({ prediction, reference }));
    const { result, scores } = scoreRows(retrieval, { ranks }, given);
    return [
      ...wrongValues(result, values, `case ${number}`),
      ...rows.flatMap((row, at) =>
        Object.entries(row).flatMap(([name, expected]) =>
          wrongNumber(scores[at]?.[name], expected, `case ${number}, query ${at}, ${name}`),
        ),
      ),
    ];
  });
  expect(wrong).toEqual([]);
});
