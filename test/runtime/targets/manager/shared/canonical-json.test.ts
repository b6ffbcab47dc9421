import { assert, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '#manager/shared/canonical-json.ts';
import { parseLossless } from '#core/json/lossless-json.ts';

test('key order is ignored, and list order is kept', () => {
  expect(canonicalJson({ b: [2, 1], a: { d: 1, c: 2 } })).toBe('{"a":{"c":2,"d":1},"b":[2,1]}');
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  expect(canonicalJson(undefined)).toBe('null');
});

test('every digit of a number is kept', () => {
  expect(canonicalJson(parseLossless('{"b":12345678901234567890,"a":1}'))).toBe(
    '{"a":1,"b":12345678901234567890}',
  );
});

test('canonical JSON can be parsed to the original value', () => {
  assert(
    property(jsonValue({ maxDepth: 3 }), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
