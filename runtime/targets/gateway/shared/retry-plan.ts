/** How often and when a failed request is retried. All times are in milliseconds. */
export interface RetryPolicy {
  /** Maximum number of retries per target, after the first attempt. */
  readonly retries: number;
  /** Maximum of the first delay; it doubles with every retry. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** Longest Retry-After to wait for; longer ones end the retries. */
  readonly maxPause: number;
}

export const RETRY_POLICY: RetryPolicy = { retries: 2, baseDelay: 100, maxDelay: 2000, maxPause: 5000 };

/**
 * Returns the delay before the target is called again, or undefined if it should not be. The delay is drawn uniformly from the
 * allowed range, so that requests that failed together are not retried together.
 */
export function retryDelay(
  retriesBefore: number,
  retryAfter: number | undefined,
  random: () => number,
  policy: RetryPolicy = RETRY_POLICY,
): number | undefined {
  if (retriesBefore >= policy.retries) return undefined;
  if (retryAfter !== undefined && retryAfter > policy.maxPause) return undefined;
  const maxDelay = Math.min(policy.maxDelay, policy.baseDelay * 2 ** retriesBefore);
  return (retryAfter ?? 0) + random() * maxDelay;
}

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
