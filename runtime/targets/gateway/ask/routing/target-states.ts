import {
  abandoned,
  type Admission,
  admit,
  type Breaker,
  type BreakerPolicy,
  CLOSED_BREAKER,
  failed,
  succeeded,
} from './circuit-breaker.ts';
import { type FailureHistory, failuresToOpen, withRun } from './failure-history.ts';
import { createRetryBudget, type RetryBudget, type RetryBudgetPolicy } from './retry-budget.ts';
import { createTargetLoads, type TargetLoads } from './target-loads.ts';

/** Breakers, pauses and loads of targets, which outlive requests. */
export interface TargetStates {
  readonly loads: TargetLoads;
  /** The budget of retries of a target. */
  retries(key: string): RetryBudget;
  admit(key: string, now: number): Admission;
  report(key: string, result: 'succeeded' | 'failed' | 'abandoned', isTrial: boolean, now: number): void;
  /** Sorts the target last until this time, because its provider sent `Retry-After`. */
  pause(key: string, until: number): void;
  isPaused(key: string, now: number): boolean;
  /** The targets with a state: failures, a pause, requests in flight, or a measured speed. */
  list(now: number): readonly TargetState[];
  /** Deletes the states of targets whose provider was replaced. */
  forget(isReplaced: (key: string) => boolean): void;
}

/** What this process knows of a target. */
export interface TargetState {
  readonly target: string;
  readonly breaker: Breaker;
  /** Time until which the target is tried last; undefined if it is not paused. */
  readonly pausedUntil: number | undefined;
  readonly running: number;
  /** Moving average to the first output of streams; undefined if there was none lately. */
  readonly streamMs: number | undefined;
  /** Moving average per output token of whole answers. */
  readonly tokenMs: number | undefined;
}

/** Maximum number of states of each kind: names of models come from clients, so there could be any number of them. */
const MAX_TARGETS = 10_000;

export interface StatePolicies {
  readonly breaker: BreakerPolicy;
  readonly retryBudget: RetryBudgetPolicy;
}

export function createTargetStates(policies: () => StatePolicies): TargetStates {
  const budgets = new Map<string, RetryBudget>();
  const breakers = new Map<string, Breaker>();
  const histories = new Map<string, FailureHistory>();
  const pauses = new Map<string, number>();
  const loads = createTargetLoads();
  const remember = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > MAX_TARGETS && oldest !== undefined) map.delete(oldest);
  };
  return {
    loads,
    retries(key) {
      const known = budgets.get(key);
      if (known) return known;
      const created = createRetryBudget(() => policies().retryBudget);
      remember(budgets, key, created);
      return created;
    },
    admit(key, now) {
      const admission = admit(breakers.get(key) ?? CLOSED_BREAKER, now);
      if (admission.admitted && admission.isTrial) remember(breakers, key, admission.breaker);
      return admission;
    },
    report(key, result, isTrial, now) {
      const breaker = breakers.get(key) ?? CLOSED_BREAKER;
      const history = histories.get(key);
      // An outage is not a random failure.
      if (result === 'succeeded' && breaker.openUntil === undefined) {
        const next = withRun(history, breaker.failures);
        if (next) remember(histories, key, next);
        else if (history) histories.delete(key);
      }
      const policy = policies().breaker;
      const next =
        result === 'failed'
          ? failed(breaker, isTrial, now, { ...policy, failures: failuresToOpen(history, policy.failures) })
          : result === 'abandoned'
            ? abandoned(breaker, isTrial)
            : succeeded();
      if (next.failures === 0 && next.openUntil === undefined) breakers.delete(key);
      else remember(breakers, key, next);
    },
    pause: (key, until) => remember(pauses, key, until),
    isPaused(key, now) {
      const until = pauses.get(key);
      if (until === undefined) return false;
      if (until <= now) pauses.delete(key);
      return until > now;
    },
    list(now) {
      const keys = new Set([...breakers.keys(), ...pauses.keys(), ...loads.keys()]);
      return [...keys].toSorted().map((target) => {
        const until = pauses.get(target);
        return {
          target,
          breaker: breakers.get(target) ?? CLOSED_BREAKER,
          pausedUntil: until !== undefined && until > now ? until : undefined,
          running: loads.running(target),
          streamMs: loads.speed(target, 'stream'),
          tokenMs: loads.speed(target, 'whole'),
        };
      });
    },
    forget(isReplaced) {
      loads.forget(isReplaced);
      for (const states of [breakers, pauses, budgets, histories]) {
        for (const key of [...states.keys()].filter(isReplaced)) states.delete(key);
      }
    },
  };
}
