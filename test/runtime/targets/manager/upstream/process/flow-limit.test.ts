import { expect, test } from 'vitest';
import { createFlowLimit } from '#manager/upstream/process/flow-limit.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

const RATES = { bytes: 1000, lines: 10, burstSeconds: 4 };

function open() {
  const clock = handClock();
  const state = { paused: false, warnings: 0 };
  const stream = { pause: () => (state.paused = true), resume: () => (state.paused = false) };
  const flow = createFlowLimit(stream, RATES, () => (state.warnings += 1), clock);
  return { clock, state, flow };
}

test('a burst passes, and a stream within its rates is never paused', () => {
  const { clock, state, flow } = open();
  flow.count(4000, 40);
  for (let second = 0; second < 100; second += 1) {
    clock.pass(1000);
    flow.count(1000, 10);
  }
  expect(state).toEqual({ paused: false, warnings: 0 });
  expect(flow.isThrottled).toBe(false);
});

test('a stream that exceeds its rates is paused until it is within them again', () => {
  const { clock, state, flow } = open();
  flow.count(6000, 1);
  expect(state).toEqual({ paused: true, warnings: 1 });
  clock.pass(1999);
  expect(state.paused).toBe(true);
  clock.pass(1);
  expect(state.paused).toBe(false);
  flow.count(100, 1);
  // The stream is reported once, and remains throttled for some time.
  expect(state).toEqual({ paused: true, warnings: 1 });
  expect(flow.isThrottled).toBe(true);
  clock.pass(20_000);
  expect(flow.isThrottled).toBe(false);
});

test('both lines and bytes are limited', () => {
  const { state, flow } = open();
  flow.count(1, 41);
  expect(state.paused).toBe(true);
});

test('the end of a stream is not delayed', () => {
  const { state, flow } = open();
  flow.count(99_000, 1);
  flow.stop();
  expect(state.paused).toBe(false);
  flow.count(99_000, 1);
  expect(state.paused).toBe(false);
});
