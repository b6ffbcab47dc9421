import { expect, test } from 'vitest';
import { ROUTING_POLICY } from '#gateway/requests/routing/router.ts';
import { isFailed, routerTo, seeded } from './failing-router.ts';

// A request can fail because of its content. Such requests of one user must not block the model for others.
const OF_MALLORY = 'mallory';

/** A model that always fails for one user, and for 30 percent of the requests of others. */
function poisoned() {
  const random = seeded(11);
  return routerTo(({ owner }) => owner === OF_MALLORY || random() < 0.3);
}

test("40 failing requests of one user neither open the breaker for other users nor use up the other users' retries", async () => {
  const { send } = poisoned();
  await send('one:m', 200, 20, 'bob');
  for (const rate of [1000, 5]) {
    await send('one:m', 40, rate, OF_MALLORY);
    const all = await send('one:m', 1000, 50, 'bob');
    expect(all.flat().filter(({ failure }) => failure === 'breaker_open')).toEqual([]);
    expect(all.filter(isFailed).length / all.length).toBeLessThan(0.045);
  }
});

test('other users are not affected while the failing user continues', async () => {
  const { send } = poisoned();
  const [, all] = await Promise.all([send('one:m', 400, 20, OF_MALLORY), send('one:m', 400, 20, 'bob')]);
  expect(all.flat().filter(({ failure }) => failure === 'breaker_open')).toEqual([]);
  expect(all.filter(isFailed).length / all.length).toBeLessThan(0.045);
});

test('the breaker blocks only the failing user, so that few requests reach the provider', async () => {
  const { send, calls, states } = routerTo(({ owner }) => owner === OF_MALLORY);
  const all = await send('one:m', 200, 100, OF_MALLORY);
  expect(calls()).toBeLessThanOrEqual(ROUTING_POLICY.breaker.failures + 4);
  expect(all.at(-1)?.at(-1)?.failure).toBe('breaker_open');
  await send('one:m', 20, 100, 'bob');
  expect(states()).toMatchObject([{ target: 'one:m', breaker: { openUntil: undefined } }]);
});

test('an outage opens the breaker for all users after the same number of failures', async () => {
  const { send, calls, states } = routerTo(() => true);
  await send('one:m', 50, 1000, 'ann');
  const before = calls();
  await send('one:m', 50, 1000, 'bob');
  expect(calls() - before).toBeLessThanOrEqual(ROUTING_POLICY.breaker.failures);
  expect(states()[0]?.breaker.openUntil).toBeTypeOf('number');
  const after = calls();
  await send('one:m', 1, 1000, 'eve');
  expect(calls() - after).toBeLessThanOrEqual(1);
});

test('a failure unrelated to the request opens the breaker for all users, even if only one user encounters it', async () => {
  const { send, calls, states } = routerTo(() => true, {}, 'unreachable');
  await send('one:m', 50, 1000, 'ann');
  expect(states()).toMatchObject([{ breaker: { openUntil: expect.any(Number) }, openFor: [] }]);
  expect(calls()).toBeLessThanOrEqual(ROUTING_POLICY.breaker.failures + 2);
});

test.each([
  ['billing', 400],
  ['credentials', 400],
  ['credentials', 403],
] as const)(
  '%s with status %i, which words in a request can cause, do not open the breaker for other users',
  async (kind, status) => {
    const { send, states } = routerTo(({ owner }) => owner === OF_MALLORY, {}, kind, status);
    const all = await send('one:m', 50, 1000, OF_MALLORY);
    expect(all.at(-1)?.at(-1)?.failure).toBe('breaker_open');
    expect(states()).toMatchObject([{ breaker: { openUntil: undefined } }]);
  },
);

test.each([
  ['billing', 402],
  ['billing', 429],
  ['credentials', 401],
] as const)('%s with status %i opens the breaker for all users', async (kind, status) => {
  const { send, states } = routerTo(() => true, {}, kind, status);
  await send('one:m', 50, 1000, 'ann');
  expect(states()).toMatchObject([{ breaker: { openUntil: expect.any(Number) }, openFor: [] }]);
});

test('one failing user cannot use up all trials, so that the breaker closes for other users', async () => {
  let isDown = true;
  const { send } = routerTo(({ owner }) => isDown || owner === OF_MALLORY);
  for (const owner of ['ann', OF_MALLORY, 'bob']) await send('one:m', 20, 1000, owner);
  isDown = false;
  await Promise.all([send('one:m', 600, 10, OF_MALLORY), send('one:m', 60, 1, 'bob')]);
  const all = await send('one:m', 50, 10, 'bob');
  expect(all.filter(isFailed)).toEqual([]);
});

test('during an outage with many users, retries are limited to the retry budget plus one retry per user every 10 seconds', async () => {
  const breaker = { ...ROUTING_POLICY.breaker, failures: 1_000_000 };
  const { send, calls } = routerTo(() => true, { breaker });
  const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);
  await Promise.all(users.map((owner) => send('one:m', 100, 10, owner)));
  const seconds = 20;
  expect(calls()).toBeLessThan(2000 * 1.4 + seconds + users.length * (seconds / 10 + 1));
});
