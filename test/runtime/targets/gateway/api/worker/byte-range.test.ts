import { expect, test } from 'vitest';
import { readByteRange } from '#gateway/api/worker-files.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=2-5', { start: 2, end: 6 }],
  ['bytes=4-', { start: 4, end: 10 }],
  ['bytes=4-99', { start: 4, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  // The standard lets servers ignore what they do not support.
  ['bytes=5-2', undefined],
  ['bytes=0-1,4-5', undefined],
  ['bytes=-', undefined],
  ['rows=0-1', undefined],
  [undefined, undefined],
])('parses the range %s of ten bytes', (header, range) => {
  expect(readByteRange(header, 10)).toEqual(range);
});
