import type { RetryPolicy } from '../../../core/limits/retry-delay.ts';

export const RETRY_POLICY: RetryPolicy = { retries: 2, baseDelay: 100, maxDelay: 2000, maxPause: 5000 };

/** A limit on retries over all requests, so that they do not multiply the load of a failing provider. */
export interface RetryBudget {
  /** Remaining retries; each request adds a fraction, each retry takes one. */
  readonly left: number;
}

const MAX_LEFT = 20;
const SHARE = 0.2;

export const FULL_RETRY_BUDGET: RetryBudget = { left: MAX_LEFT };

export const addRequest = ({ left }: RetryBudget): RetryBudget => ({
  left: Math.min(MAX_LEFT, left + SHARE),
});

/** Takes a retry; undefined if none is left. */
export const takeRetry = ({ left }: RetryBudget): RetryBudget | undefined =>
  left < 1 ? undefined : { left: left - 1 };
