import { assert, constantFrom, array, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { calibration } from '#gateway/evaluation/metrics/classification/calibration.ts';
import { multiLabel } from '#gateway/evaluation/metrics/classification/multi-label.ts';
import { singleLabel } from '#gateway/evaluation/metrics/classification/single-label.ts';
import { scoreRows, within } from '../golden-metrics.ts';

const LABEL = constantFrom('A', 'B', 'C', '');
const ROWS = array(record({ prediction: LABEL, reference: LABEL }), { minLength: 1, maxLength: 40 });

describe('without rows', () => {
  test.each([
    ['singleLabel', singleLabel({})],
    ['calibration', calibration({})],
    ['multiLabel', multiLabel({ labels: ['A'] })],
  ])('%s returns reasons instead of values', (_name, metric) => {
    const { values, reasons } = metric.result();
    expect(Object.keys(values).length).toBeGreaterThan(2);
    expect(new Set(Object.values(values))).toEqual(new Set([null]));
    expect(new Set(Object.values(reasons))).toEqual(new Set(['No row was scored.']));
    expect(Object.keys(reasons)).toEqual(Object.keys(values));
  });
});

describe('single-label metrics', () => {
  test('ratios lie between 0 and 1, and are 1 if every row is correct', () => {
    assert(
      property(ROWS, (rows) => {
        const { mcc, cohen_kappa: kappa, ...shares } = scoreRows(singleLabel, {}, rows).result.values;
        for (const share of Object.values(shares)) expect(share).toSatisfy(within(0, 1));
        expect(mcc).toSatisfy(within(-1, 1));
        expect(kappa ?? 0).toSatisfy(within(-1, 1));
        const right = rows.map(({ reference }) => ({ reference, prediction: reference }));
        const { values } = scoreRows(singleLabel, {}, right).result;
        expect([values['accuracy'], values['f1_macro'], values['balanced_accuracy']]).toEqual([1, 1, 1]);
      }),
    );
  });

  test('memory and saved state grow with the number of labels, not rows', () => {
    const metric = singleLabel({});
    for (let row = 0; row < 50_000; row++)
      metric.add({ prediction: `label ${row % 3}`, reference: `label ${row % 2}` });
    expect(JSON.stringify(metric.save()).length).toBeLessThan(200);
  });

  test('the confusion matrix is omitted above 200 labels', () => {
    const rowsOf = (labels: number) =>
      Array.from({ length: labels }, (_, at) => ({ prediction: String(at), reference: String(at) }));
    const matrixOf = (labels: number) =>
      scoreRows(singleLabel, {}, rowsOf(labels)).result.detail as { confusion_matrix: number[][] | null };
    expect(matrixOf(200).confusion_matrix?.length).toBe(200);
    expect(matrixOf(201).confusion_matrix).toBeNull();
    expect(scoreRows(singleLabel, {}, rowsOf(201)).result.values['f1_macro']).toBe(1);
  });

  test('kappa is undefined for a single label, and the reason is reported', () => {
    const { result } = scoreRows(singleLabel, {}, [{ prediction: 'A', reference: 'A' }]);
    expect(result.values['cohen_kappa']).toBeNull();
    expect(result.reasons['cohen_kappa']).toContain('have the same label');
  });
});

describe('calibration metrics', () => {
  const row = { prediction: 'A', reference: 'B', scores: { A: 0.75, B: 0.25 } };

  test.each([
    [
      'a score above 1',
      { ...row, scores: { A: 1.5, B: 0 } },
      'Score 1.5 of "A" is out of range. Scores must be',
    ],
    [
      'a score that is not a number',
      { ...row, scores: { A: Number.NaN } },
      'Score NaN of "A" is out of range.',
    ],
    ['a prediction without a score', { ...row, prediction: 'C' }, 'The predicted label "C" has no score.'],
    [
      'a label named like an inherited property',
      { ...row, prediction: 'constructor' },
      '"constructor" has no score.',
    ],
  ])('rejects %s and stays unchanged', (_name, bad, message) => {
    const metric = calibration({});
    metric.add(row);
    const before = metric.save();
    expect(() => metric.add(bad)).toThrow(AppError);
    expect(() => metric.add(bad)).toThrow(message);
    expect(metric.save()).toEqual(before);
  });

  test('a true label that has no score is penalized as if its probability were zero', () => {
    const { log_loss: loss, brier_score: brier } = calibration({}).add({ ...row, reference: 'C' });
    expect(loss).toBeCloseTo(-Math.log(Number.EPSILON));
    expect(brier).toBeCloseTo(0.75 ** 2 + 0.25 ** 2 + 1);
  });

  test('the calibration table counts the rows in each confidence bin', () => {
    const metric = calibration({});
    for (const sure of [0, 0.2, 0.6, 0.999, 1]) metric.add({ ...row, scores: { A: sure, B: 1 - sure } });
    const { calibration_bins: bins } = metric.result().detail as { calibration_bins: { rows: number }[] };
    expect(bins.map(({ rows }) => rows)).toEqual([1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1]);
  });
});

describe('multi-label metrics', () => {
  test('duplicate labels count once', () => {
    const { result } = scoreRows(multiLabel, {}, [{ prediction: ['A', 'A'], reference: ['A', 'B', 'B'] }]);
    expect(result.values).toMatchObject({ precision_micro: 1, recall_micro: 0.5, hamming_loss: 0.5 });
  });

  test('the Hamming loss is undefined for rows without labels, and the reason is reported', () => {
    const { result } = scoreRows(multiLabel, {}, [{ prediction: [], reference: [] }]);
    expect(result.values).toMatchObject({
      subset_accuracy: 1,
      f1_micro: 0,
      hamming_loss: null,
      f1_macro: null,
    });
    expect(result.reasons['hamming_loss']).toContain('no label');
  });
});
