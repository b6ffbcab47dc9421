import { expect, test } from 'vitest';
import { type CalendarUnit, isTimeZone, nextHour, nextStart, startOf } from '#core/time/calendar.ts';

const CASES: readonly (readonly [now: string, unit: CalendarUnit, zone: string, next: string])[] = [
  ['2026-03-01T12:00:00Z', 'day', 'UTC', '2026-03-02T00:00:00Z'],
  // The start of a window belongs to that window.
  ['2026-03-01T00:00:00Z', 'month', 'UTC', '2026-04-01T00:00:00Z'],
  ['2026-12-31T23:59:59.999Z', 'month', 'UTC', '2027-01-01T00:00:00Z'],
  ['2024-02-29T12:00:00Z', 'month', 'UTC', '2024-03-01T00:00:00Z'],
  // A Sunday, and the Monday after it.
  ['2026-03-01T12:00:00Z', 'week', 'UTC', '2026-03-02T00:00:00Z'],
  ['2026-03-02T00:00:00Z', 'week', 'UTC', '2026-03-09T00:00:00Z'],
  // It is already March in Tokyo, and still February in New York.
  ['2026-02-28T20:00:00Z', 'month', 'Asia/Tokyo', '2026-03-31T15:00:00Z'],
  ['2026-03-01T04:00:00Z', 'month', 'America/New_York', '2026-03-01T05:00:00Z'],
  // A day with 23 hours, and one with 25.
  ['2026-03-28T23:00:00Z', 'day', 'Europe/Berlin', '2026-03-29T22:00:00Z'],
  ['2026-10-24T22:00:00Z', 'day', 'Europe/Berlin', '2026-10-25T23:00:00Z'],
  // A day that begins at 1:00, because the clock moves forward at midnight.
  ['2026-09-05T12:00:00Z', 'day', 'America/Santiago', '2026-09-06T04:00:00Z'],
];

test.each(CASES)('after %s, the next %s in %s starts at %s', (now, unit, timeZone, next) => {
  expect(nextStart({ unit, timeZone }, Date.parse(now))).toBe(Date.parse(next));
});

test.each(CASES)(
  'the start before %s of the %s in %s is consistent with the next start',
  (now, unit, timeZone, next) => {
    const start = startOf(unit, timeZone, Date.parse(now));
    expect(start).toBeLessThanOrEqual(Date.parse(now));
    expect(nextStart({ unit, timeZone }, start)).toBe(Date.parse(next));
    expect(startOf(unit, timeZone, start)).toBe(start);
    expect(startOf(unit, timeZone, Date.parse(next))).toBe(Date.parse(next));
  },
);

test.each([
  ['2026-03-01T12:20:00Z', 'UTC', '2026-03-01T13:00:00Z'],
  ['2026-03-01T12:20:00Z', 'Asia/Kathmandu', '2026-03-01T13:15:00Z'],
  // Clocks move forward, and back, by an hour.
  ['2026-03-29T00:59:59Z', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25T01:00:00Z'],
  // By half an hour: an hour of 30 minutes, and one of 90 minutes.
  ['2026-10-03T15:30:00Z', 'Australia/Lord_Howe', '2026-10-03T16:00:00Z'],
  ['2026-04-04T14:00:00Z', 'Australia/Lord_Howe', '2026-04-04T15:30:00Z'],
])('after %s, the next hour in %s starts at %s', (now, timeZone, next) => {
  expect(nextHour(timeZone, Date.parse(now))).toBe(Date.parse(next));
});

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['+02:00', true],
  ['Berlin', false],
  ['', false],
])('%j is a valid time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});
