import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvLine } from '#gateway/shared/csv-line.ts';

test.each(['a', 'a, b', 'he said "no"', 'two\nlines', 'a\r\nb', '', 'größe 🙂', "'quoted'"])(
  '%j is unchanged after it is written and parsed',
  (text) => {
    expect(parse(csvLine([text, 'end']))).toEqual([[text, 'end']]);
  },
);

test('a missing value is written as an empty field', () => {
  expect(csvLine([null, undefined, '', 0])).toBe(',,,0\r\n');
});

test.each([
  '=1+1',
  '+1',
  '-1+1',
  '-cmd()',
  '@SUM(A1)',
  '\tx',
  '\r=1',
  '=HYPERLINK("http://a.example","b")',
  '-',
])('%j is escaped as text', (text) => {
  expect(parse(csvLine([text, 'end']))).toEqual([[`'${text}`, 'end']]);
});

test.each([-1, -0.25, -1e-7, -1.5e300, '-12.5', 1e21])('%j is kept as a number', (number) => {
  expect(csvLine([number])).toBe(`${number}\r\n`);
});
