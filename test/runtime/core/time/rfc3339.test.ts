import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rfc3339 } from '#core/time/rfc3339.ts';

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [1_000, '1970-01-01T00:00:01Z'],
  [1_500, '1970-01-01T00:00:01.5Z'],
  [1_769_860_800_123.5, '2026-01-31T12:00:00.1235Z'],
  [1_769_860_800_000.001, '2026-01-31T12:00:00.000001Z'],
  [1_769_860_799_999.9998, '2026-01-31T12:00:00Z'],
  [-500, '1969-12-31T23:59:59.5Z'],
])('%d is formatted as %s', (milliseconds, text) => {
  expect(rfc3339(milliseconds)).toBe(text);
});

test('can always be parsed back to the same microsecond', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 4e12, noNaN: true }), (milliseconds) => {
      const text = rfc3339(milliseconds);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/);
      expect(Math.abs(Date.parse(text) - milliseconds)).toBeLessThanOrEqual(1);
    }),
  );
});
