import { expect, test } from 'vitest';
import { readPriority } from '#encoder/predict/priority.ts';

test.each([
  [undefined, undefined],
  [null, undefined],
  ['interactive', 'interactive'],
  [' Bulk ', 'bulk'],
  // The values of browsers.
  ['u=1, i', undefined],
  ['u=0', undefined],
  ['i', undefined],
  ['i=?0', undefined],
  ['u=7', 'bulk'],
  ['i, u=7', 'bulk'],
  ['', undefined],
])('the header %j chooses the lane %j', (value, lane) => {
  expect(readPriority(value)).toBe(lane);
});

test.each(['soon', 'high', 'u=7, bulk', 'interactive, bulk', '7', 'u=x'])('%j is rejected', (value) => {
  expect(() => readPriority(value)).toThrow(
    `The header Priority must be interactive or bulk, not ${JSON.stringify(value)}. Without it, small requests are interactive.`,
  );
});
