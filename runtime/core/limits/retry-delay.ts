/** How often and when a failed request is retried. All times are in milliseconds. */
export interface RetryPolicy {
  /** Maximum number of retries per target, after the first attempt. */
  readonly retries: number;
  /** Maximum of the first delay; it doubles with every retry. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** Longest Retry-After to wait for; a longer one ends the retries. */
  readonly maxPause: number;
}

/**
 * Returns the delay before the target is called again, or undefined if it should not be. The delay is drawn uniformly from the
 * allowed range, so that requests that failed together are not retried together.
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
