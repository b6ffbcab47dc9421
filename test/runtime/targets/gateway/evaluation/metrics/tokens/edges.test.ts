import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { labelSequences } from '#gateway/evaluation/metrics/tokens/label-sequences.ts';
import { lenientSpans, spanSets, strictSpans } from '#gateway/evaluation/metrics/tokens/spans.ts';
import { scoreRows } from '../golden-metrics.ts';

const LABELS = array(constantFrom('O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC'), { maxLength: 15 });

describe('spans from labels', () => {
  test('both modes find the same spans if every span has a begin label', () => {
    assert(
      property(LABELS, (labels) => {
        const begun = labels.map((label, at) =>
          label.startsWith('I') && labels[at - 1]?.slice(1) !== label.slice(1) ? 'O' : label,
        );
        const audio = begun.map((label, at) =>
          label.startsWith('I') && begun[at - 1] === 'O' ? label.replace('I', 'B') : label,
        );
        expect(lenientSpans(audio)).toEqual(strictSpans(audio));
      }),
    );
  });

  test('the modes differ for a span without a begin label', () => {
    expect(lenientSpans(['I-PER', 'O'])).toEqual([{ start: 0, end: 1, label: 'PER' }]);
    expect(strictSpans(['I-PER', 'O'])).toEqual([]);
  });
});

describe('label sequences', () => {
  test.each([
    [
      'of different lengths',
      'default',
      ['O'],
      ['O', 'O'],
      '1 tokens have a predicted label and 2 have a true label.',
    ],
    ['with an empty label', 'default', [''], ['O'], 'A token has an empty label.'],
    [
      'with another scheme in strict mode',
      'strict',
      ['O', 'E-PER'],
      ['O', 'O'],
      'The label "E-PER" does not follow the IOB2 scheme',
    ],
    [
      'with an empty label in strict mode',
      'strict',
      [''],
      ['O'],
      'The label "" does not follow the IOB2 scheme',
    ],
  ] as const)('%s are rejected without being counted', (_name, mode, prediction, reference, message) => {
    const metric = labelSequences({ mode });
    metric.add({ prediction: ['B-PER'], reference: ['B-PER'] });
    const before = metric.save();
    expect(() => metric.add({ prediction, reference })).toThrow(AppError);
    expect(() => metric.add({ prediction, reference })).toThrow(message);
    expect(metric.save()).toEqual(before);
  });

  test('a row without spans counts as correct if no spans are predicted', () => {
    const metric = labelSequences({});
    expect(metric.add({ prediction: ['O', 'O'], reference: ['O', 'O'] })).toEqual({
      span_f1_micro: 1,
      token_accuracy: 1,
    });
    expect(metric.add({ prediction: ['B-PER', 'O'], reference: ['O', 'O'] })).toEqual({
      span_f1_micro: 0,
      token_accuracy: 0.5,
    });
  });

  test('rows without tokens have no accuracy', () => {
    const { result, scores } = scoreRows(labelSequences, {}, [{ prediction: [], reference: [] }]);
    expect(scores).toEqual([{ span_f1_micro: 1 }]);
    expect(result.values['token_accuracy']).toBeNull();
    expect(result.reasons['token_accuracy']).toBe('No row has tokens.');
  });

  test('an empty dataset has no values', () => {
    const { values, reasons } = labelSequences({}).result();
    expect(new Set(Object.values(values))).toEqual(new Set([null]));
    expect(reasons['span_f1_micro']).toBe('No row was scored.');
  });
});

describe('explicit spans', () => {
  const span = { start: 3, end: 7, label: 'two words' };

  test('spans match if start, end and label match, and count once', () => {
    const prediction = [span, span, { ...span, start: 2 }, { ...span, label: 'other' }];
    const { result, scores } = scoreRows(spanSets, {}, [{ prediction, reference: [span] }]);
    expect(scores).toEqual([{ span_f1_micro: 0.5 }]);
    expect(result.values).toMatchObject({ span_recall_micro: 1 });
    expect(result.values['span_precision_micro']).toBeCloseTo(1 / 3);
    const { per_label: lines } = result.detail as { per_label: { label: string; predicted: number }[] };
    expect(lines.map(({ label, predicted }) => [label, predicted])).toEqual([
      ['other', 1],
      ['two words', 2],
    ]);
  });

  test.each([
    [5, 5],
    [-1, 2],
    [0.5, 2],
    [4, Number.NaN],
  ])('a span from %d to %d is rejected', (start, end) => {
    const metric = spanSets({});
    const row = { prediction: [span], reference: [{ start, end, label: 'A' }] };
    expect(() => metric.add(row)).toThrow(`Invalid span from ${start} to ${end}.`);
    expect(metric.save()).toEqual(spanSets({}).save());
  });
});
