import { expect, test } from 'vitest';
import { parseExpiry } from '#core/time/expiry.ts';
import { parseSpan, spanText } from '#core/time/time-span.ts';

test.each([
  ['90s', 90_000],
  [' 5m ', 300_000],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
  ['2w', 1_209_600_000],
  ['0d', 0],
])('%j is a valid duration', (text, milliseconds) => {
  expect(parseSpan(text)).toBe(milliseconds);
});

test.each(['', '30', 'd', '1.5h', '-1d', '1D', '1h30m', '123456789s', '1y'])(
  '%j is not a valid duration',
  (text) => {
    expect(parseSpan(text)).toBeUndefined();
  },
);

test.each([
  ['1w', 604_800_000],
  ['30d', 2_592_000_000],
  ['12h', 43_200_000],
  ['36h', 129_600_000],
  ['90s', 90_000],
])('durations are printed in the largest exact unit: %s', (text, milliseconds) => {
  expect(spanText(milliseconds)).toBe(text);
  expect(parseSpan(text)).toBe(milliseconds);
});

test('an expiry is a duration from now, or a date', () => {
  expect(parseExpiry('1d', 1000)).toBe(86_401_000);
  expect(parseExpiry('2027-01-31', 1000)).toBe(Date.UTC(2027, 0, 31));
  expect(parseExpiry('2027-01-31T12:00:00+01:00', 1000)).toBe(Date.UTC(2027, 0, 31, 11));
  for (const text of ['later', '2027-02-30', '31.1.2027']) expect(parseExpiry(text, 1000)).toBeUndefined();
});
