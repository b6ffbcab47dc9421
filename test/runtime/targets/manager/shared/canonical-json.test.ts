import { assert, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '#manager/shared/canonical-json.ts';
import { parseLossless } from '#core/json/lossless-json.ts';

test('the order of keys makes no difference, that of lists does', () => {
  expect(canonicalJson({ b: [2, 1], a: { d: 1, c: 2 } })).toBe('{"a":{"c":2,"d":1},"b":[2,1]}');
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  expect(canonicalJson(undefined)).toBe('null');
});

test('keeps every digit of a number', () => {
  expect(canonicalJson(parseLossless('{"b":12345678901234567890,"a":1}'))).toBe(
    '{"a":1,"b":12345678901234567890}',
  );
});

test('holds the same as the value', () => {
  assert(
    property(jsonValue({ maxDepth: 3 }), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
