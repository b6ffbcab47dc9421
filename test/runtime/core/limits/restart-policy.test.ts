import { assert, double, nat, option, property } from 'fast-check';
import { expect, test } from 'vitest';
import { planRestart, RESTART_POLICY } from '#core/limits/restart-policy.ts';

const { baseDelay, maxDelay, healthyAfter, healthyResponses, crashLoopFailures, crashLoopDelay } =
  RESTART_POLICY;
const most = (): number => 1;

test('a program that ran long enough is restarted immediately, regardless of earlier failures', () => {
  expect(planRestart(7, { ranFor: healthyAfter }, most)).toEqual({ failures: 0, delay: 0, crashLoop: false });
  expect(planRestart(0, { ranFor: healthyAfter - 1 }, most)).toEqual({
    failures: 1,
    delay: baseDelay,
    crashLoop: false,
  });
});

test('a program that handled enough requests is restarted immediately, even after a short run', () => {
  const run = { ranFor: 900, responses: healthyResponses };
  expect(planRestart(9, run, most)).toEqual({ failures: 0, delay: 0, crashLoop: false });
  expect(planRestart(0, { ...run, responses: healthyResponses - 1 }, most).failures).toBe(1);
});

test('the maximum delay doubles with each failure, up to a limit', () => {
  const delays = [0, 1, 2, 3].map((failures) => planRestart(failures, undefined, most).delay);
  expect(delays).toEqual([100, 200, 400, 800]);
  const patient = { ...RESTART_POLICY, crashLoopFailures: 100 };
  expect(planRestart(50, undefined, most, patient).delay).toBe(maxDelay);
});

test('the first restart is delayed by at most 100 ms', () => {
  expect(planRestart(0, { ranFor: 0 }, most).delay).toBeLessThanOrEqual(100);
});

test('many consecutive failures count as a crash loop with a long delay', () => {
  const calm = planRestart(crashLoopFailures - 2, undefined, most);
  expect(calm.crashLoop).toBe(false);
  expect(planRestart(calm.failures, { ranFor: 5 }, most)).toEqual({
    failures: crashLoopFailures,
    delay: crashLoopDelay,
    crashLoop: true,
  });
});

test('delays stay within their limits, and each failure increments the count', () => {
  const random = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const ranFor = option(double({ min: 0, max: healthyAfter * 2, noNaN: true }), { nil: undefined });
  assert(
    property(nat(1000), ranFor, random, (before, ran, drawn) => {
      const { failures, delay, crashLoop } = planRestart(
        before,
        ran === undefined ? undefined : { ranFor: ran },
        () => drawn,
      );
      const healthy = ran !== undefined && ran >= healthyAfter;
      expect(failures).toBe(healthy ? 0 : before + 1);
      expect(crashLoop).toBe(!healthy && failures >= crashLoopFailures);
      expect(delay).toBeGreaterThanOrEqual(0);
      const most = Math.min(maxDelay, failures === 0 ? 0 : baseDelay * 2 ** (failures - 1));
      expect(delay).toBeLessThanOrEqual(crashLoop ? crashLoopDelay : most);
    }),
  );
});
