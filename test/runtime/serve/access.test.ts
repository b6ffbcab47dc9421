import { expect, test } from 'vitest';
import { createAccess, needsKey, requireBearerToken } from '#serve/access.ts';

test('without configured keys, no key is required', () => {
  const access = createAccess([]);
  expect(needsKey(access)).toBe(false);
  for (const header of [undefined, null, '', 'Bearer x']) expect(access.check(header)).toBe(undefined);
});

test('with configured keys, a request must send one of them', () => {
  const access = createAccess(['one', 'two']);
  expect(needsKey(access)).toBe(true);
  for (const header of ['Bearer one', 'bearer two', 'Bearer   one '])
    expect(access.check(header)).toBe(undefined);
  for (const header of [
    undefined,
    null,
    '',
    'one',
    'Basic one',
    'Bearer',
    'Bearer three',
    'Bearer one two',
  ]) {
    expect(() => access.check(header)).toThrow(expect.objectContaining({ code: 'UnauthorizedError' }));
  }
});

test('the token is the part after the scheme', () => {
  expect(requireBearerToken('Bearer mcpm_x-Y_1')).toBe('mcpm_x-Y_1');
  expect(() => requireBearerToken('Bearer ')).toThrow('Missing API key');
});
