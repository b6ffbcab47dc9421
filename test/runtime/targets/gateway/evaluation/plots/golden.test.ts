import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { confusion } from '#gateway/evaluation/metrics/classification/single-label.ts';
import { calibrationCurve } from '#gateway/evaluation/plots/calibration-curve.ts';
import { histogramOf } from '#gateway/evaluation/plots/histogram.ts';
import { lengthGroups } from '#gateway/evaluation/plots/length-groups.ts';
import { type CurvePoint, thinned, thresholdCurves } from '#gateway/evaluation/plots/threshold-curves.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

interface Golden {
  readonly scores: readonly number[];
  readonly truth: readonly number[];
  readonly roc: readonly CurvePoint[];
  readonly precision_recall: readonly CurvePoint[];
  readonly calibration: readonly CurvePoint[];
  readonly confusion: readonly (readonly number[])[];
  readonly counts: readonly number[];
  readonly edges: readonly number[];
  readonly lengths: readonly number[];
  readonly length_means: readonly number[];
}

const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden', 'plots.json'), 'utf8')) as readonly Golden[];

const rounded = (points: readonly (readonly number[])[]): number[][] =>
  points.map((point) => point.map((value) => Number(value.toFixed(9))));

test('curves, calibration, confusion matrices and histograms match scikit-learn and NumPy', () => {
  expect(golden.length).toBe(24);
  for (const one of golden) {
    const ranked = one.scores.map((score, at) => ({ score, isTrue: one.truth[at] === 1 }));
    const curves = thresholdCurves(ranked);
    expect(rounded(curves?.roc ?? [])).toEqual(rounded(one.roc));
    expect(rounded(curves?.precisionRecall ?? [])).toEqual(rounded(one.precision_recall));
    const calibration = calibrationCurve(ranked).map(({ predicted, observed }) => [predicted, observed]);
    expect(rounded(calibration)).toEqual(rounded(one.calibration));
    const counted = confusion();
    for (const { score, isTrue } of ranked) counted.add(isTrue ? '1' : '0', score >= 0.5 ? '1' : '0');
    expect(counted.matrix(['0', '1'])).toEqual(one.confusion);
    const bins = histogramOf(one.scores, { from: 0, to: 1, bins: 20 });
    expect(bins.map(({ rows }) => rows)).toEqual(one.counts);
    expect(rounded([bins.map(({ from }) => from)])).toEqual(rounded([one.edges.slice(0, -1)]));
    const groups = lengthGroups(one.lengths, Float64Array.from(one.scores), 4);
    expect(rounded([groups.map(({ mean }) => mean)])).toEqual(rounded([one.length_means]));
  }
});

test('a curve requires rows with and without the label, and a thinned curve keeps its endpoints', () => {
  expect(thresholdCurves([{ score: 1, isTrue: true }])).toBeUndefined();
  const points = Array.from({ length: 1000 }, (_, at) => [at, at] as const);
  const few = thinned(points, 50);
  expect([few.length, few[0], few.at(-1)]).toEqual([50, [0, 0], [999, 999]]);
  expect(lengthGroups([], new Float64Array())).toEqual([]);
  expect(histogramOf([Number.NaN, 2, 0.5], { from: 0, to: 1, bins: 2 }).map(({ rows }) => rows)).toEqual([
    0, 1,
  ]);
});
