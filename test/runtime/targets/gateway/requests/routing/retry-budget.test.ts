import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRetryBudget, RETRY_BUDGET_POLICY } from '#gateway/requests/routing/target-states.ts';
import { ROUTING_POLICY } from '#gateway/requests/routing/router.ts';
import { isFailed, routerTo, seeded } from './failing-router.ts';

const { percent, perSecond } = RETRY_BUDGET_POLICY;
const WINDOW_SECONDS = 10;

test('in any 10 seconds, failed retries are limited to a share of the requests plus a fixed number', () => {
  const step = fc.record({ ms: fc.nat(3000), isRequest: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const budget = createRetryBudget(() => RETRY_BUDGET_POLICY);
      const happened: { readonly at: number; readonly isRequest: boolean }[] = [];
      let now = 1_000_000;
      for (const { ms, isRequest } of steps) {
        now += ms;
        if (isRequest) budget.request(now);
        if (isRequest || budget.take(now)) happened.push({ at: now, isRequest });
        // The budget counts in whole seconds.
        const second = Math.floor(now / 1000);
        const recent = happened.filter(({ at }) => Math.floor(at / 1000) > second - WINDOW_SECONDS);
        const requests = recent.filter((one) => one.isRequest).length;
        const most = (requests * percent) / 100 + perSecond * WINDOW_SECONDS;
        // Requests outside the window can have paid for retries inside it.
        const before = happened.filter((one) => one.isRequest).length;
        expect(recent.length - requests).toBeLessThanOrEqual(most + (before * percent) / 100);
      }
    }),
    { numRuns: 200 },
  );
});

test('an exhausted retry budget refills over time, even without requests', () => {
  const budget = createRetryBudget(() => RETRY_BUDGET_POLICY);
  let now = 5_000_000;
  let taken = 0;
  while (budget.take(now)) taken += 1;
  expect(taken).toBe(perSecond * WINDOW_SECONDS);
  expect(budget.take(now + 9000)).toBeUndefined();
  now += WINDOW_SECONDS * 1000;
  expect(budget.take(now)).toBeTypeOf('function');
});

test('a successful retry does not consume the budget, even if the clock is set back', () => {
  const budget = createRetryBudget(() => RETRY_BUDGET_POLICY);
  for (let round = 0; round < 1000; round += 1) budget.take(7_000_000)?.();
  expect(budget.take(7_000_000)).toBeTypeOf('function');
  expect(budget.take(10)).toBeTypeOf('function');
});

test.each([1, 20, 500])(
  'with 30% random failures and 3 attempts, 2.7% of requests fail (%i per second)',
  async (rate) => {
    const random = seeded(42);
    const { send } = routerTo(() => random() < 0.3);
    const all = await send('one:m', 6000, rate);
    const failed = all.filter(isFailed);
    expect(failed.length / all.length).toBeGreaterThan(0.02);
    expect(failed.length / all.length).toBeLessThan(0.035);
  },
);

test.each([1, 50])(
  'during an outage, retries are limited to the retry budget, with or without a breaker (%i per second)',
  async (rate) => {
    const breaker = { ...ROUTING_POLICY.breaker, failures: 1_000_000 };
    const { send, calls } = routerTo(() => true, { breaker });
    const count = 2000;
    const all = await send('one:m', count, rate);
    const seconds = count / rate + WINDOW_SECONDS;
    expect(calls()).toBeLessThanOrEqual(count * (1 + percent / 100) + perSecond * seconds);
    const reasons = new Set(all.map((attempts) => attempts.at(-1)?.noRetry));
    expect(reasons).toContain('budget_spent');
    const helped = routerTo(() => true);
    await helped.send('one:m', count, rate);
    expect(helped.calls()).toBeLessThan(calls() / 2);
  },
);

test('a failing model does not use up retries of other models and providers', async () => {
  const seen = new WeakSet<object>();
  // The first call of each request to `flaky` fails.
  const { send } = routerTo(({ model, body }) => {
    const isFirst = !seen.has(body);
    seen.add(body);
    return model === 'down' || isFirst;
  });
  await send('one:down', 200, 50);
  for (const model of ['one:flaky', 'two:flaky']) {
    const all = await send(model, 50, 50);
    expect(all.filter(isFailed)).toEqual([]);
    expect(all.every((attempts) => attempts.length === 2)).toBe(true);
  }
});

test('a budget of 0 disables retries, and the error contains the reason', async () => {
  const { send } = routerTo(() => true, { retryBudget: { percent: 0, perSecond: 0 } });
  const [attempts] = await send('one:m', 1, 1);
  expect(attempts).toMatchObject([{ outcome: 'failed', noRetry: 'budget_spent' }]);
});

test('after an outage, the breaker of a healthy model opens as quickly as before', async () => {
  let isDown = false;
  const { send, calls } = routerTo(() => isDown);
  await send('one:m', 100, 50);
  for (let outage = 0; outage < 3; outage += 1) {
    isDown = true;
    const before = calls();
    await send('one:m', 50, 50);
    expect(calls() - before).toBeLessThanOrEqual(ROUTING_POLICY.breaker.failures + 2);
    isDown = false;
    await send('one:m', 100, 1);
  }
});
