import { expect, test } from 'vitest';
import { numberIn } from '#core/numbers/number-in.ts';

const COUNT = { min: 1, max: 9 };
const SHARE = { min: 0, max: 1, whole: false };

test.each([
  ['9', COUNT, 9],
  ['0', COUNT, undefined],
  ['10', COUNT, undefined],
  ['1.5', COUNT, undefined],
  ['', COUNT, undefined],
  ['.25', SHARE, 0.25],
  ['1', SHARE, 1],
  ['1.1', SHARE, undefined],
  ['-0.5', SHARE, undefined],
  ['1e-1', SHARE, undefined],
])('%j, as a number within %j, is parsed as %j', (text, limits, expected) => {
  expect(numberIn(text, limits)).toBe(expected);
});
