import { assert, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { readBearerToken } from '#serve/access.ts';

test('the scheme is case-insensitive and any number of spaces follows it', () => {
  for (const header of ['Bearer K', 'bearer K', 'BEARER K', 'bEaReR   K', 'Bearer K  ', ' Bearer K']) {
    expect(readBearerToken(header), header).toBe('K');
  }
});

test('headers without a bearer token are ignored', () => {
  for (const header of [undefined, null, '', 'K', 'Bearer', 'Bearer ', 'BearerK', 'Basic K', 'Bearer\tK']) {
    expect(readBearerToken(header), String(header)).toBe(undefined);
  }
});

test('a token is returned unchanged', () => {
  const tokens = stringMatching(/^[\w.~+/=-]+$/);
  assert(property(tokens, (token) => readBearerToken(`bearer ${token}`) === token));
  expect(readBearerToken('Bearer one two')).toBe('one two');
});
