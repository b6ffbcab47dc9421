/** How many times and when a failed request is retried. All times are in milliseconds. */
export interface RetryPolicy {
  /** Maximum number of retries per target, after the first attempt. */
  readonly retries: number;
  /** Maximum delay before the first retry. It doubles with every retry. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** Longest Retry-After to wait for. After a longer one, the request is not retried. */
  readonly maxPause: number;
}

/**
 * Returns the delay before the request is retried, or undefined if it must not be retried. The
 * delay is drawn uniformly from the allowed range, so that requests that failed together are not
 * retried together.
 */
export function retryDelay(
  retriesBefore: number,
  retryAfter: number | undefined,
  random: () => number,
  policy: RetryPolicy,
): number | undefined {
  if (retriesBefore >= policy.retries) return undefined;
  if (retryAfter !== undefined && retryAfter > policy.maxPause) return undefined;
  const maxDelay = Math.min(policy.maxDelay, policy.baseDelay * 2 ** retriesBefore);
  return (retryAfter ?? 0) + random() * maxDelay;
}
