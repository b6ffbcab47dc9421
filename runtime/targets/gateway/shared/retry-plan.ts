import type { RetryPolicy } from '#core/limits/retry-delay.ts';

export const RETRY_POLICY: RetryPolicy = { retries: 2, baseDelay: 100, maxDelay: 2000, maxPause: 5000 };
