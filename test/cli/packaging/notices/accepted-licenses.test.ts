import { expect, test } from 'vitest';
import { isAcceptedLicense } from '#cli/packaging/notices/accepted-licenses.ts';

test.each([
  ['MIT', true],
  ['(Apache-2.0 AND BSD-3-Clause)', true],
  ['GPL-3.0-only OR MIT', true],
  ['MIT OR GPL-3.0-only', true],
  ['MIT AND (GPL-2.0-only OR ISC)', true],
  ['GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only OR AGPL-3.0-only', false],
  ['(MIT', false],
  ['MIT)', false],
  ['MIT and others', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['UNLICENSED', false],
  ['', false],
])('whether the license expression %j is accepted: %s', (expression, expected) => {
  expect(isAcceptedLicense(expression)).toBe(expected);
});
