/** How often and when a request that failed is sent again. All times in milliseconds. */
export interface RetryPolicy {
  /** To one target, after the first attempt. */
  readonly retries: number;
  /** The first delay is at most this, and the most doubles with every further one. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** Who asks for a longer pause than this is not waited for. */
  readonly longestPause: number;
}

export const RETRY_POLICY: RetryPolicy = { retries: 2, baseDelay: 100, maxDelay: 2000, longestPause: 5000 };

/**
 * How long to wait before the target is asked again, undefined if it should not be. The delay is drawn evenly from all that
 * is allowed, so that requests that failed together do not come again together.
 */
export function retryDelay(
  retriesBefore: number,
  retryAfter: number | undefined,
  random: () => number,
  policy: RetryPolicy = RETRY_POLICY,
): number | undefined {
  if (retriesBefore >= policy.retries) return undefined;
  if (retryAfter !== undefined && retryAfter > policy.longestPause) return undefined;
  const most = Math.min(policy.maxDelay, policy.baseDelay * 2 ** retriesBefore);
  return (retryAfter ?? 0) + random() * most;
}

/** How many retries all requests together may make, so that they do not multiply the load of a provider that is down. */
export interface RetryBudget {
  /** What is left; each request adds a share of one, each retry takes one. */
  readonly left: number;
}

const MOST_LEFT = 20;
const SHARE = 0.2;

export const FULL_RETRY_BUDGET: RetryBudget = { left: MOST_LEFT };

export const addRequest = ({ left }: RetryBudget): RetryBudget => ({
  left: Math.min(MOST_LEFT, left + SHARE),
});

/** Undefined if there is nothing left to take. */
export const takeRetry = ({ left }: RetryBudget): RetryBudget | undefined =>
  left < 1 ? undefined : { left: left - 1 };
