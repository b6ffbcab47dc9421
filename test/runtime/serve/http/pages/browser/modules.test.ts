import { expect, test } from 'vitest';
import { linearScale, timeScale } from '#serve/http/pages/browser/charts/scale.ts';
import {
  bytes,
  count,
  duration,
  lowerFirst,
  money,
  percent,
  short,
} from '#serve/http/pages/browser/format.ts';
import { linkTo, matchPath, readRoute } from '#serve/http/pages/browser/route.ts';

type Format = (value: number | null | undefined) => string;

test('a name inside a sentence starts with a lowercase letter, unless it is an abbreviation', () => {
  expect(['Tags', 'URL', 'x', ''].map(lowerFirst)).toEqual(['tags', 'URL', 'x', '']);
});

test.each<[format: Format, value: number | null | undefined, text: string]>([
  [money, 1234.5, '$1,234.50'],
  [money, 0, '$0.00'],
  [money, 0.00042, '$0.00042'],
  [money, -0.5, '-$0.50'],
  [money, undefined, '–'],
  [duration, 0, '0 ms'],
  [duration, 0.0349, '0.035 ms'],
  [duration, 0.5, '0.5 ms'],
  [duration, 3.24, '3.2 ms'],
  [duration, 999.6, '1,000 ms'],
  [duration, 12_540, '12.5 s'],
  [duration, 200_000, '3 min 20 s'],
  [duration, 3_600_000, '1 h'],
  [duration, 187_200_000, '2 d 4 h'],
  [duration, null, '–'],
  [bytes, 512, '512 B'],
  [bytes, 1_572_864, '1.5 MiB'],
  [percent, 0.1234, '12.3%'],
  [short, 1_234_567, '1.23M'],
  [short, 12.5, '12.5'],
  [count, 1_234_567, '1,234,567'],
])('a number is formatted with its unit (%#)', (format, value, text) => {
  expect(format(value)).toBe(text);
});

test('a link is decoded to its original path and query, even with special characters', () => {
  const link = linkTo(['keys', 'a/b?c#d é'], { sort: '-cost', empty: '' });
  const { path, query } = readRoute(link);
  expect(matchPath('keys/:id', path)).toEqual({ id: 'a/b?c#d é' });
  expect([...query]).toEqual([['sort', '-cost']]);
  expect(linkTo([''])).toBe('#/');
  expect(readRoute('').path).toBe('');
  expect(matchPath('keys/:id', 'keys')).toBeUndefined();
  expect(matchPath('keys/:id', 'keys/')).toBeUndefined();
  expect(matchPath('keys', 'keys/1')).toBeUndefined();
  expect(matchPath('keys/:id', 'keys/%zz')).toEqual({ id: '%zz' });
});

test('axis ticks are round numbers that cover the values', () => {
  const scale = linearScale([3, 97], [0, 100], { fromZero: true });
  expect(scale.ticks).toEqual([0, 20, 40, 60, 80, 100]);
  expect([scale.at(0), scale.at(50), scale.at(100)]).toEqual([0, 50, 100]);
  expect(linearScale([0.1, 0.3], [0, 1]).ticks).toEqual([0.1, 0.15, 0.2, 0.25, 0.3]);
  expect(linearScale([], [0, 1]).ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  const same = linearScale([5, 5], [0, 1]);
  expect(same.max).toBeGreaterThan(same.min);
  const day = 86_400_000;
  expect(timeScale([0, day], [0, 1], 10).ticks.length).toBeLessThanOrEqual(11);
  expect(timeScale([], [0, 1], 10).ticks).toEqual([]);
});

test.each([
  // Clocks change on March 29.
  [
    'Europe/Berlin',
    '2026-03-27T23:00:00Z',
    '2026-03-30T22:00:00Z',
    [27, 28, 29, 30],
    ['23', '23', '22', '22'],
  ],
  [
    'America/New_York',
    '2026-10-31T04:00:00Z',
    '2026-11-03T05:00:00Z',
    [31, 1, 2, 3],
    ['04', '04', '05', '05'],
  ],
  [
    'Asia/Kathmandu',
    '2026-03-27T18:15:00Z',
    '2026-03-30T18:15:00Z',
    [27, 28, 29, 30],
    ['18', '18', '18', '18'],
  ],
])('time scales have ticks at midnight in %s', (zone, from, to, days, hours) => {
  const { ticks } = timeScale([Date.parse(from), Date.parse(to)], [0, 1], 4, zone);
  const shown = ticks.map((tick) => new Date(tick).toISOString());
  expect(shown.map((one) => Number(one.slice(8, 10)))).toEqual(days);
  expect(shown.map((one) => one.slice(11, 13))).toEqual(hours);
});
