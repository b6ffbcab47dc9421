import { expect, test } from 'vitest';
import type { DatasetCell } from '#gateway/evaluation/datasets/dataset.ts';
import { readFoundObjects, readTrueObjects } from '#gateway/evaluation/work/evaluation/read-objects.ts';

const box = { xmin: 10, ymin: 20, xmax: 110, ymax: 80 };

test('corners and COCO’s boxes are the same objects, as JSON text as well', () => {
  const cat = { label: 'cat', box: { x: 10, y: 20, width: 100, height: 60 }, area: 6000, isCrowd: false };
  const corners = [{ label: 'cat', box }];
  expect(readTrueObjects(corners)).toEqual([cat]);
  expect(readTrueObjects(JSON.stringify(corners))).toEqual([cat]);
  expect(readTrueObjects([{ label: 3, bbox: [10, 20, 100, 60], area: 42.5, iscrowd: 1 }])).toEqual([
    { ...cat, label: '3', area: 42.5, isCrowd: true },
  ]);
  expect(readTrueObjects([])).toEqual([]);
  expect(readFoundObjects([{ label: 'cat', box, score: 0.5 }])).toEqual([
    { label: 'cat', box: cat.box, score: 0.5 },
  ]);
});

test.each<readonly [DatasetCell, string]>([
  ['cat', '"cat" is not a list of objects with boxes'],
  [null, 'null is not a list of objects'],
  [[7], 'is not a list of objects'],
  [[{ box }], '`label` is missing'],
  [[{ label: 'cat' }], '`box` must have the numbers'],
  [[{ label: 'cat', box: { ...box, xmin: '10' } }], '`box` must have the numbers'],
  [[{ label: 'cat', box: { xmin: 10, ymin: 20, xmax: 5, ymax: 80 } }], 'negative width or height'],
  [[{ label: 'cat', bbox: [1, 2, 3] }], '`bbox` must be a list'],
  [[{ label: 'cat', bbox: [0, 0, 1e300, 1e300] }], '`bbox` must be a list'],
  [[{ label: 'cat', box, area: -1 }], '`area` must be'],
  [[{ label: 'cat', box, iscrowd: 2 }], '`iscrowd` must be 0 or 1'],
  [Array.from({ length: 2001 }, () => ({ label: 'cat', box })), 'has 2001 objects; the maximum is 2000'],
  ['[{"label": "cat", "box": {"xmin": 1e999}}]', '`box` must have the numbers'],
])('invalid objects are rejected with one sentence (%#)', (cell, message) => {
  expect(() => readTrueObjects(cell)).toThrow(message);
});

test('found objects must have a score', () => {
  expect(() => readFoundObjects([{ label: 'cat', box }])).toThrow('`score` must be a number');
});
