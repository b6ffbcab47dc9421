import { expect, test } from 'vitest';
import { cosine, cosineText, milliseconds, percent } from '#encoder/http/page/browser/numbers.ts';
import { jsonText } from '#serve/http/pages/browser/json-text.ts';

test('nonzero percentages are never shown as 0', () => {
  expect([0, 0.00001, 0.0005, 0.5, 0.99949, 1].map(percent)).toEqual([
    '0.0%',
    '<0.1%',
    '0.1%',
    '50.0%',
    '99.9%',
    '100.0%',
  ]);
});

test('times below 10 ms have one decimal', () => {
  expect([0.04, 1.26, 9.94, 9.96, 123.4].map(milliseconds)).toEqual([
    '0.0 ms',
    '1.3 ms',
    '9.9 ms',
    '10 ms',
    '123 ms',
  ]);
});

test('cosine similarities are computed, and shown with two decimals', () => {
  expect(cosine([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12);
  expect(cosine([1, 0], [0, 5])).toBe(0);
  expect(cosine([1, 1], [-1, -1])).toBeCloseTo(-1, 12);
  expect(cosine([0, 0], [1, 2])).toBe(0);
  expect([0.123, -0.5, -0.0001, 1].map(cosineText)).toEqual(['0.12', '−0.50', '0.00', '1.00']);
});

test('formatted JSON is valid, and lists of numbers are on one line', () => {
  const value = { a: [1, 2.5, -3e-9], b: [{ c: '"\n' }, {}], d: [], e: null, f: [[1], [2]] };
  expect(JSON.parse(jsonText(value))).toEqual(value);
  expect(jsonText({ a: [1, 2], b: [{ c: 1 }] })).toBe(
    '{\n  "a": [1, 2],\n  "b": [\n    {\n      "c": 1\n    }\n  ]\n}',
  );
});
