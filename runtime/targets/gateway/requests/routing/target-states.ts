import type { Breaker, BreakerPolicy } from './circuit-breaker.ts';
import { remember } from './remember.ts';
import { createRetryBudget, type RetryBudget, type RetryBudgetPolicy } from './retry-budget.ts';
import { createTargetBreakers, type TargetBreakers } from './target-breakers.ts';
import { createTargetLoads, type TargetLoads } from './target-loads.ts';

/** Breakers, pauses and loads of targets, which outlive requests. */
export interface TargetStates extends Pick<TargetBreakers, 'admit' | 'report'> {
  readonly loads: TargetLoads;
  /** The budget of retries of a target. */
  retries(key: string): RetryBudget;
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
  /** Users whose requests alone skip the target. */
  readonly openFor: readonly string[];
  /** Time until which the target is tried last; undefined if it is not paused. */
  readonly pausedUntil: number | undefined;
  readonly running: number;
  /** Moving average to the first output of streams; undefined if there was none lately. */
  readonly streamMs: number | undefined;
  /** Moving average per output token of whole answers. */
  readonly tokenMs: number | undefined;
}

export interface StatePolicies {
  readonly breaker: BreakerPolicy;
  readonly retryBudget: RetryBudgetPolicy;
}

export function createTargetStates(policies: () => StatePolicies): TargetStates {
  const budgets = new Map<string, RetryBudget>();
  const breakers = createTargetBreakers(() => policies().breaker);
  const pauses = new Map<string, number>();
  const loads = createTargetLoads();
  return {
    loads,
    admit: (key, now, owner) => breakers.admit(key, now, owner),
    report: (key, result, request, now) => breakers.report(key, result, request, now),
    retries(key) {
      const known = budgets.get(key);
      if (known) return known;
      const created = createRetryBudget(() => policies().retryBudget);
      remember(budgets, key, created);
      return created;
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
          breaker: breakers.get(target),
          openFor: breakers.openFor(target, now),
          pausedUntil: until !== undefined && until > now ? until : undefined,
          running: loads.running(target),
          streamMs: loads.speed(target, 'stream'),
          tokenMs: loads.speed(target, 'whole'),
        };
      });
    },
    forget(isReplaced) {
      loads.forget(isReplaced);
      breakers.forget(isReplaced);
      for (const states of [pauses, budgets]) {
        for (const key of [...states.keys()].filter(isReplaced)) states.delete(key);
      }
    },
  };
}
