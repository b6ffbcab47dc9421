import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { matchesAny, matchesExactly } from '#core/text/name-pattern.ts';

test.each([
  ['get_time', 'get_time', true],
  ['get_time', 'GET_Time', true],
  ['get_time', 'get_times', false],
  ['*', '', true],
  ['get_*', 'get_time', true],
  ['get_*', 'forget_time', false],
  ['*_time', 'get_time', true],
  ['*et*im*', 'get_time', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['memo://*/x', 'memo://one/x', true],
  ['a.c', 'abc', false],
])('%s matches %s: %s', (pattern, name, expected) => {
  expect(matchesAny([pattern], name)).toBe(expected);
});

test('an empty pattern list matches nothing, and one matching pattern is sufficient', () => {
  expect(matchesAny([], 'a')).toBe(false);
  expect(matchesAny(['b', 'a*'], 'abc')).toBe(true);
});

test('matches the same names as a regular expression', () => {
  const text = string({ unit: constantFrom('a', 'b', '.', 'B'), maxLength: 8 });
  const pattern = string({ unit: constantFrom('a', 'b', '.', '*'), maxLength: 6 });
  assert(
    property(pattern, text, (given, name) => {
      const parts = given.split('*').map((part) => RegExp.escape(part));
      const expected = new RegExp(`^${parts.join('.*')}$`, 'i').test(name);
      expect(matchesAny([given], name)).toBe(expected);
      expect(matchesExactly([given], name)).toBe(new RegExp(`^${parts.join('.*')}$`).test(name));
    }),
    { numRuns: 2000 },
  );
});

test('a pathological pattern is matched quickly', () => {
  expect(matchesAny([`${'a*'.repeat(5000)}b`], 'a'.repeat(10_000))).toBe(false);
});
