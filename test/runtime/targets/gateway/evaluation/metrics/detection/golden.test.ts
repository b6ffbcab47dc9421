import { expect, test } from 'vitest';
import { areaOf, type Box } from '#gateway/evaluation/metrics/detection/boxes.ts';
import { OVERLAPS } from '#gateway/evaluation/metrics/detection/match-objects.ts';
import {
  type DetectionRow,
  meanAveragePrecision,
} from '#gateway/evaluation/metrics/detection/mean-average-precision.ts';
import type { MetricResult } from '#gateway/evaluation/metrics/metric.ts';
import { readGolden, scoreRows } from '../golden-metrics.ts';

type Corner = readonly [number, number, number, number];
interface GoldenCase {
  readonly images: readonly {
    readonly truths: readonly { label: string; bbox: Corner; area?: number; iscrowd?: number }[];
    readonly found: readonly { label: string; bbox: Corner; score: number }[];
  }[];
  readonly values: Readonly<Record<string, number | null>>;
  /** `map`, `map_50` and `map_75` of each label. */
  readonly labels: Readonly<Record<string, readonly (number | null)[]>>;
}

const golden = readGolden('detection') as readonly GoldenCase[];
const boxOf = ([x, y, width, height]: Corner): Box => ({ x, y, width, height });
const rowsOf = ({ images }: GoldenCase): DetectionRow[] =>
  images.map(({ truths, found }) => ({
    reference: truths.map(({ label, bbox, area, iscrowd }) => ({
      label,
      box: boxOf(bbox),
      area: area ?? areaOf(boxOf(bbox)),
      isCrowd: iscrowd === 1,
    })),
    prediction: found.map(({ label, bbox, score }) => ({ label, score, box: boxOf(bbox) })),
  }));

function difference(found: number | null | undefined, expected: number | null | undefined): number {
  return typeof found === 'number' && typeof expected === 'number'
    ? Math.abs(found - expected)
    : (found ?? null) === (expected ?? null)
      ? 0
      : Infinity;
}

const tableOf = ({ detail }: MetricResult) =>
  (detail as { per_label: readonly { label: string; map: number; map_50: number; map_75: number }[] })
    .per_label;

test('average precisions match pycocotools, in total, by area, by overlap and by label', () => {
  expect(golden).toHaveLength(40);
  // Each kind of input occurs.
  const truths = golden.flatMap(({ images }) => images.flatMap((image) => image.truths));
  expect(truths.some(({ iscrowd }) => iscrowd === 1)).toBe(true);
  expect(truths.some(({ area }) => area !== undefined)).toBe(true);
  let largest = 0;
  for (const [number, one] of golden.entries()) {
    const { result } = scoreRows(meanAveragePrecision, {}, rowsOf(one));
    expect(Object.keys(result.values).toSorted(), `${number}`).toEqual(Object.keys(one.values).toSorted());
    for (const [name, expected] of Object.entries(one.values))
      largest = Math.max(largest, difference(result.values[name], expected));
    const table = tableOf(result);
    const counted = Object.entries(one.labels).filter(([, [map]]) => map !== null);
    expect(table.map(({ label }) => label).toSorted(), `${number}`).toEqual(
      counted.map(([label]) => label).toSorted(),
    );
    for (const { label, map, map_50, map_75 } of table)
      for (const [at, value] of [map, map_50, map_75].entries())
        largest = Math.max(largest, difference(value, one.labels[label]?.[at]));
  }
  expect(largest).toBeLessThan(1e-12);
});

test('a row has the scores of its image alone', () => {
  for (const one of golden.slice(0, 10)) {
    const { scores } = scoreRows(meanAveragePrecision, {}, rowsOf(one));
    for (const [at, row] of rowsOf(one).entries()) {
      const { map, map_50, map_75 } = scoreRows(meanAveragePrecision, {}, [row]).result.values;
      const hasTruth = row.reference.some(({ isCrowd }) => !isCrowd);
      expect(scores[at]).toEqual(hasTruth ? { map, map_50, map_75 } : {});
    }
  }
});

test('the overlaps are those of NumPy, which differ from multiples of 0.05', () => {
  expect(OVERLAPS).toEqual([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.8999999999999999, 0.95]);
});
