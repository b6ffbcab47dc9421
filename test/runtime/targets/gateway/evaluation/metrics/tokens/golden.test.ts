import { expect, test } from 'vitest';
import {
  labelSequences,
  type LabelSequenceOptions,
} from '#gateway/evaluation/metrics/tokens/label-sequences.ts';
import { type LabeledSpan, spanSets } from '#gateway/evaluation/metrics/tokens/spans.ts';
import { type GoldenValues, readGolden, scoreRows, wrongNumber, wrongValues } from '../golden-metrics.ts';

interface GoldenCase {
  readonly mode: NonNullable<LabelSequenceOptions['mode']>;
  readonly truth: readonly string[];
  readonly predicted: readonly string[];
  readonly values: GoldenValues;
  readonly per_type: readonly (readonly [precision: number, recall: number, f1: number, support: number])[];
  /** Strict mode: the true spans and the predicted ones. */
  readonly spans?: readonly (readonly (readonly GoldenSpan[])[])[];
}
type GoldenSpan = readonly [start: number, end: number, label: string];

const { label_sequences: CASES } = readGolden('tokens') as {
  readonly label_sequences: readonly GoldenCase[];
};

test('golden data contains many cases for both modes', () => {
  for (const mode of ['default', 'strict'])
    expect(CASES.filter((golden) => golden.mode === mode).length).toBeGreaterThan(100);
});

test('label spans match seqeval', () => {
  const wrong = CASES.flatMap(({ mode, truth, predicted, values, per_type }, number) => {
    const rows = truth.map((row, at) => ({
      reference: labelsOf(row),
      prediction: labelsOf(predicted[at] ?? '?'),
    }));
    const { result } = scoreRows(labelSequences, { mode }, rows);
    return [...wrongValues(result, values, `case ${number}`), ...wrongTypes(result.detail, per_type, number)];
  });
  expect(wrong).toEqual([]);
});

test('metrics of explicit spans match those that seqeval computes from labels', () => {
  const wrong = CASES.flatMap(({ spans, values }, number) => {
    if (spans === undefined) return [];
    const [truth = [], predicted = []] = spans;
    const rows = truth.map((row, at) => ({
      reference: row.map(spanOf),
      prediction: (predicted[at] ?? []).map(spanOf),
    }));
    const { token_accuracy: _, ...ofSpans } = values;
    return wrongValues(scoreRows(spanSets, {}, rows).result, ofSpans, `case ${number}`);
  });
  expect(wrong).toEqual([]);
});

const labelsOf = (row: string): string[] => (row === '' ? [] : row.split(' '));
const spanOf = ([start, end, label]: GoldenSpan): LabeledSpan => ({ start, end, label });

function wrongTypes(detail: unknown, golden: GoldenCase['per_type'], number: number): string[] {
  const { per_label: lines } = detail as { readonly per_label: readonly Readonly<Record<string, number>>[] };
  return [
    ...wrongNumber(lines.length, golden.length, `types of case ${number}`),
    ...golden.flatMap(([precision, recall, f1, support], at) =>
      Object.entries({ precision, recall, f1, support }).flatMap(([name, expected]) =>
        wrongNumber(lines[at]?.[name], expected, `case ${number}, type ${at}, ${name}`),
      ),
    ),
  ];
}
