import { expect, test } from 'vitest';
import { createLogLimit } from '#manager/supervisor/log-limit.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

function open() {
  const clock = handClock();
  const reports: number[] = [];
  const limit = createLogLimit(clock, (dropped) => reports.push(dropped));
  const admitted = (count: number, length = 10) =>
    Array.from({ length: count }, () => limit.admits('x'.repeat(length))).filter(Boolean).length;
  return { clock, reports, limit, admitted };
}

test('1,000 lines per ten seconds are logged, and the remaining lines are counted and reported once afterwards', () => {
  const { clock, reports, admitted } = open();
  expect(admitted(1000)).toBe(1000);
  expect(admitted(5000)).toBe(0);
  clock.pass(9999);
  expect(admitted(1)).toBe(0);
  expect(reports).toEqual([]);
  clock.pass(1);
  expect(reports).toEqual([5001]);
  expect(admitted(1001)).toBe(1000);
  clock.pass(10_000);
  expect(reports).toEqual([5001, 1]);
});

test('long lines count by their length toward the limit', () => {
  const { admitted } = open();
  expect(admitted(100, 8192)).toBe(32);
});

test('a server with little output is never limited', () => {
  const { clock, reports, admitted } = open();
  for (let second = 0; second < 1000; second += 1) {
    expect(admitted(90)).toBe(90);
    clock.pass(1000);
  }
  expect(reports).toEqual([]);
});

test('dropped lines are reported when the limit is closed, and no timer remains', () => {
  const { clock, reports, limit, admitted } = open();
  admitted(1003);
  limit.flush();
  expect(reports).toEqual([3]);
  expect(clock.waiting()).toEqual([]);
  limit.flush();
  expect(reports).toEqual([3]);
});
