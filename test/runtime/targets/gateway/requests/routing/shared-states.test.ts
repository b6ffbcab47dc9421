import { expect, test } from 'vitest';
import {
  BREAKER_POLICY,
  createTargetStates,
  RETRY_BUDGET_POLICY,
  type TargetEvent,
  type TargetStates,
} from '#gateway/requests/routing/target-states.ts';

const KEY = 'openai:m';
const POLICIES = { breaker: BREAKER_POLICY, retryBudget: RETRY_BUDGET_POLICY };

/** The states of several threads, each of which reports to the others what it learns. */
function openThreads(count: number) {
  const events: TargetEvent[] = [];
  const all: TargetStates[] = [];
  for (let at = 0; at < count; at += 1) {
    all.push(
      createTargetStates(
        () => POLICIES,
        (event) => {
          events.push(event);
          for (const [other, states] of all.entries()) if (other !== at) states.apply(structuredClone(event));
        },
      ),
    );
  }
  const [one, two] = all as [TargetStates, TargetStates];
  return { one, two, all, events };
}

function fail(states: TargetStates, now: number, owner?: string): void {
  const admission = states.admit(KEY, now, owner);
  if (!admission.admitted) throw new Error('The breaker is open.');
  states.report(KEY, 'failed', admission, now);
}

test('failures of several threads open the breaker of all of them', () => {
  const { one, two, all } = openThreads(3);
  for (let count = 0; count < BREAKER_POLICY.failures; count += 1) fail(count % 2 === 0 ? one : two, 0);
  expect(all.map((states) => states.admit(KEY, 1).admitted)).toEqual([false, false, false]);
});

test('one thread tries an open target, and its success closes the breaker of all', () => {
  const { one, two, all } = openThreads(3);
  for (let count = 0; count < BREAKER_POLICY.failures; count += 1) fail(one, 0);
  const later = BREAKER_POLICY.open + 1;
  const trial = two.admit(KEY, later);
  expect(trial).toMatchObject({ admitted: true, isTrial: true });
  expect(all.map((states) => states.admit(KEY, later).admitted)).toEqual([false, false, false]);
  if (trial.admitted) two.report(KEY, 'succeeded', trial, later + 10);
  expect(all.map((states) => states.admit(KEY, later + 20).admitted)).toEqual([true, true, true]);
});

test('a success in one thread ends the consecutive failures in another', () => {
  const { one, two } = openThreads(2);
  for (let count = 0; count < BREAKER_POLICY.failures - 1; count += 1) fail(one, 0);
  const admission = two.admit(KEY, 1);
  if (admission.admitted) two.report(KEY, 'succeeded', admission, 2);
  fail(one, 3);
  expect(one.admit(KEY, 4).admitted).toBe(true);
});

test('successes of a target without failures are not reported', () => {
  const { one, events } = openThreads(2);
  for (let count = 0; count < 10; count += 1) {
    const admission = one.admit(KEY, count, 'ada');
    if (admission.admitted) one.report(KEY, 'succeeded', admission, count);
  }
  expect(events).toEqual([]);
});

test('one user’s failures do not block other users, in any thread', () => {
  const { one, two } = openThreads(2);
  for (let count = 0; count < BREAKER_POLICY.failures; count += 1)
    fail(count % 2 === 0 ? one : two, 0, 'ada');
  expect([one.admit(KEY, 1, 'ada').admitted, two.admit(KEY, 1, 'ada').admitted]).toEqual([false, false]);
  expect([one.admit(KEY, 1, 'bob').admitted, two.admit(KEY, 1, 'bob').admitted]).toEqual([true, true]);
});

test('a pause applies to all threads', () => {
  const { one, two } = openThreads(2);
  one.pause(KEY, 100);
  expect([two.isPaused(KEY, 99), two.isPaused(KEY, 100)]).toEqual([true, false]);
});
