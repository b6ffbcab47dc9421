/** When a target that keeps failing is left alone. All times in milliseconds. */
export interface BreakerPolicy {
  /** This many failures in a row open it. */
  readonly failures: number;
  /** How long it stays open the first time; twice as long after every trial that fails, up to `longestOpen`. */
  readonly open: number;
  readonly longestOpen: number;
}

export const BREAKER_POLICY: BreakerPolicy = { failures: 5, open: 5000, longestOpen: 60_000 };

/** What is known of one target. A new value for every change. */
export interface Breaker {
  /** In a row. */
  readonly failures: number;
  /** Nobody is let through before; undefined while it is closed. */
  readonly openUntil: number | undefined;
  /** How long it was opened for last. */
  readonly openedFor: number;
  /** One request is trying whether the target has recovered. */
  readonly trial: boolean;
}

export const CLOSED_BREAKER: Breaker = { failures: 0, openUntil: undefined, openedFor: 0, trial: false };

/** Whether a request may go to the target, and what is known of it then. */
export type Admission =
  | { readonly admitted: true; readonly breaker: Breaker; readonly isTrial: boolean }
  | { readonly admitted: false; readonly retryAfter: number };

export function admit(breaker: Breaker, now: number): Admission {
  if (breaker.openUntil === undefined) return { admitted: true, breaker, isTrial: false };
  const left = breaker.openUntil - now;
  if (left > 0) return { admitted: false, retryAfter: left };
  // How long the trial takes nobody knows; the shortest time it would be opened for is a fair guess.
  if (breaker.trial) return { admitted: false, retryAfter: breaker.openedFor };
  return { admitted: true, breaker: { ...breaker, trial: true }, isTrial: true };
}

export const succeeded = (): Breaker => CLOSED_BREAKER;

export function failed(
  breaker: Breaker,
  isTrial: boolean,
  now: number,
  policy: BreakerPolicy = BREAKER_POLICY,
): Breaker {
  const failures = breaker.failures + 1;
  if (isTrial) return opened(failures, Math.min(policy.longestOpen, breaker.openedFor * 2), now);
  // Those that were on their way when it opened tell nothing new.
  if (breaker.openUntil !== undefined) return breaker;
  if (failures < policy.failures) return { ...breaker, failures };
  return opened(failures, policy.open, now);
}

/** A request that ended without telling anything of the target: its client left, or the request was wrong. */
export const abandoned = (breaker: Breaker, isTrial: boolean): Breaker =>
  isTrial ? { ...breaker, trial: false } : breaker;

const opened = (failures: number, openedFor: number, now: number): Breaker => ({
  failures,
  openUntil: now + openedFor,
  openedFor,
  trial: false,
});
