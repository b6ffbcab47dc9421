import { expect, test } from 'vitest';
import type { RowScores } from '#gateway/evaluation/metrics/metric.ts';
import { calibration } from '#gateway/evaluation/metrics/classification/calibration.ts';
import { multiLabel } from '#gateway/evaluation/metrics/classification/multi-label.ts';
import { singleLabel } from '#gateway/evaluation/metrics/classification/single-label.ts';
import { type GoldenValues, readGolden, scoreRows, wrongNumber, wrongValues } from '../golden-metrics.ts';

type GoldenLabel = readonly [label: string, precision: number, recall: number, f1: number, support: number];
interface GoldenCase {
  readonly labels: readonly string[];
  readonly values: GoldenValues;
}
interface SingleLabelCase extends GoldenCase {
  readonly truth: readonly number[];
  readonly predicted: readonly number[];
  readonly per_label: readonly GoldenLabel[];
  readonly matrix: readonly (readonly number[])[];
}
interface CalibrationCase extends GoldenCase {
  readonly scores: readonly (readonly number[])[];
  readonly truth: readonly number[];
  readonly predicted: readonly number[];
}
interface MultiLabelCase extends GoldenCase {
  readonly known: boolean;
  readonly truth: readonly (readonly number[])[];
  readonly predicted: readonly (readonly number[])[];
  readonly per_label: readonly GoldenLabel[];
}
type LabelLine = Readonly<Record<string, number>>;

const GOLDEN = readGolden('classification') as {
  readonly single_label: readonly SingleLabelCase[];
  readonly calibration: readonly CalibrationCase[];
  readonly multi_label: readonly MultiLabelCase[];
};

test('golden data contains many cases', () => {
  expect(GOLDEN.single_label.length).toBeGreaterThan(150);
  expect(GOLDEN.calibration.length).toBeGreaterThan(100);
  expect(GOLDEN.multi_label.length).toBeGreaterThan(100);
});

test('single-label metrics match scikit-learn', () => {
  const wrong = GOLDEN.single_label.flatMap(
    ({ labels, truth, predicted, values, per_label, matrix }, number) => {
      const rows = truth.map((truth, at) => ({
        reference: labels[truth] ?? '?',
        prediction: labels[predicted[at] ?? -1] ?? '?',
      }));
      const { result, scores } = scoreRows(singleLabel, {}, rows);
      expect(result.detail, `case ${number}`).toMatchObject({
        rows: rows.length,
        labels: per_label.map(([label]) => label),
        confusion_matrix: matrix,
      });
      return [
        ...wrongValues(result, values, `case ${number}`),
        ...wrongLabels(result.detail, per_label, number),
        ...wrongMean(scores, 'accuracy', values, number),
      ];
    },
  );
  expect(wrong).toEqual([]);
});

test('score metrics match scikit-learn and torchmetrics', () => {
  const wrong = GOLDEN.calibration.flatMap(({ labels, scores, truth, predicted, values }, number) => {
    const rows = scores.map((row, at) => ({
      scores: Object.fromEntries(row.map((score, label) => [labels[label] ?? '?', score])),
      reference: labels[truth[at] ?? -1] ?? 'a label that the model does not know',
      prediction: labels[predicted[at] ?? -1] ?? '?',
    }));
    const { result, scores: ofRows } = scoreRows(calibration, {}, rows);
    return [
      ...wrongValues(result, values, `case ${number}`),
      ...wrongMean(ofRows, 'log_loss', values, number),
      ...wrongMean(ofRows, 'brier_score', values, number),
    ];
  });
  expect(wrong).toEqual([]);
});

test('multi-label metrics match scikit-learn on indicator matrices', () => {
  const wrong = GOLDEN.multi_label.flatMap(
    ({ labels, known, truth, predicted, values, per_label }, number) => {
      const named = (row: readonly number[] = []) => row.map((at) => labels[at] ?? '?');
      const rows = truth.map((truth, at) => ({ reference: named(truth), prediction: named(predicted[at]) }));
      const { result, scores } = scoreRows(multiLabel, known ? { labels } : {}, rows);
      return [
        ...wrongValues(result, values, `case ${number}`),
        ...wrongLabels(result.detail, per_label, number),
        ...wrongMean(scores, 'subset_accuracy', values, number),
        ...wrongMean(scores, 'f1_samples', values, number),
      ];
    },
  );
  expect(wrong).toEqual([]);
});

function wrongLabels(detail: unknown, golden: readonly GoldenLabel[], number: number): string[] {
  const { per_label: lines } = detail as { readonly per_label: readonly LabelLine[] };
  expect(
    lines.map(({ label }) => label),
    `case ${number}`,
  ).toEqual(golden.map(([label]) => label));
  return golden.flatMap(([label, precision, recall, f1, support], at) =>
    Object.entries({ precision, recall, f1, support }).flatMap(([name, expected]) =>
      wrongNumber(lines[at]?.[name], expected, `case ${number} ${label} ${name}`),
    ),
  );
}

function wrongMean(
  scores: readonly RowScores[],
  name: string,
  golden: GoldenValues,
  number: number,
): string[] {
  const sum = scores.reduce((sum, score) => sum + (score[name] ?? Number.NaN), 0);
  return wrongNumber(sum / scores.length, golden[name], `rows of case ${number}, ${name}`);
}
