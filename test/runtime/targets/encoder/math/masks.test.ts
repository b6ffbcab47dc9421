import { expect, test } from 'vitest';
import type { LabelRuns } from '#encoder/math/label-runs.ts';
import { segmentsOf } from '#encoder/math/masks.ts';

/** Columns: 0 0 1, 1 1 0, 0 2 2, 2 0 0. */
const RUNS: LabelRuns = {
  size: { height: 3, width: 4 },
  labels: [0, 1, 0, 2, 0],
  lengths: [2, 3, 2, 3, 2],
};

test('each label has the runs of its pixels, as COCO counts them', () => {
  expect(segmentsOf(RUNS)).toEqual([
    { label: 0, area: 6, counts: [0, 2, 3, 2, 3, 2] },
    { label: 1, area: 3, counts: [2, 3, 7] },
    { label: 2, area: 3, counts: [7, 3, 2] },
  ]);
});
