import { expect, test } from 'vitest';
import { TimeLeft } from '#core/model/time-left.ts';

test('the remaining time follows from the speed since the first report', () => {
  const left = new TimeLeft();
  expect(left.seconds(100, 0)).toBeUndefined();
  left.report(50, 1);
  // Half of the work was done before: its speed is unknown.
  expect(left.seconds(100, 1)).toBeUndefined();
  left.report(60, 2);
  expect(left.seconds(100, 2)).toBe(4);
  expect(left.seconds(100, 3)).toBe(8);
});

test('only the last seconds count', () => {
  const left = new TimeLeft();
  for (let second = 0; second <= 100; second += 1) left.report(second * 10, second);
  for (let second = 101; second <= 120; second += 1) left.report(1000 + (second - 100), second);
  expect(left.seconds(1120, 120)).toBeCloseTo(100, 5);
});

test('a restart from the beginning starts the measurement again', () => {
  const left = new TimeLeft();
  left.report(0, 0);
  left.report(90, 1);
  left.report(0, 2);
  expect(left.seconds(100, 2)).toBeUndefined();
  left.report(10, 4);
  expect(left.seconds(100, 4)).toBe(18);
});
