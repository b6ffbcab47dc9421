/** When calls to a failing target are suspended. All times are in milliseconds. */
export interface BreakerPolicy {
  /** Number of consecutive failures that open the breaker. */
  readonly failures: number;
  /** How long the breaker stays open the first time. The time doubles after every failed trial, up to `maxOpen`. */
  readonly open: number;
  readonly maxOpen: number;
}

export const BREAKER_POLICY: BreakerPolicy = { failures: 5, open: 5000, maxOpen: 60_000 };

/** Immutable state of the breaker of one target. */
export interface Breaker {
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Time until which requests are rejected; undefined while the breaker is closed. */
  readonly openUntil: number | undefined;
  /** Last duration of the open state. */
  readonly openedFor: number;
  /** Whether a trial request is running. */
  readonly trial: boolean;
}

export const CLOSED_BREAKER: Breaker = { failures: 0, openUntil: undefined, openedFor: 0, trial: false };

/** Whether a request can go to the target, with the new state. */
export type Admission =
  | { readonly admitted: true; readonly breaker: Breaker; readonly isTrial: boolean }
  | { readonly admitted: false; readonly retryAfter: number };

export function admit(breaker: Breaker, now: number): Admission {
  if (breaker.openUntil === undefined) return { admitted: true, breaker, isTrial: false };
  const left = breaker.openUntil - now;
  if (left > 0) return { admitted: false, retryAfter: left };
  // The duration of a trial is unknown; the last open time is a fair guess.
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
  if (isTrial) return opened(failures, Math.min(policy.maxOpen, breaker.openedFor * 2), now);
  // Failures of requests that were already running when it opened carry no new information.
  if (breaker.openUntil !== undefined) return breaker;
  if (failures < policy.failures) return { ...breaker, failures };
  return opened(failures, policy.open, now);
}

/** State after a request whose outcome does not concern the target: its client disconnected, or the request was invalid. */
export const abandoned = (breaker: Breaker, isTrial: boolean): Breaker =>
  isTrial ? { ...breaker, trial: false } : breaker;

const opened = (failures: number, openedFor: number, now: number): Breaker => ({
  failures,
  openUntil: now + openedFor,
  openedFor,
  trial: false,
});
