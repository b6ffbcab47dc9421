import type { RetryPolicy } from '#core/limits/retry-delay.ts';
import { type Clock, systemClock } from '#platform/clock.ts';

/** Clock and randomness for retries; tests replace both. */
export interface Pacing {
  readonly clock: Clock;
  readonly random: () => number;
}

export const PACING: Pacing = { clock: systemClock, random: Math.random };

/** Retries of rows. No client waits for a single row, so long pauses that a provider requests are respected. */
export const ROW_RETRIES: RetryPolicy = {
  retries: 3,
  baseDelay: 250,
  maxDelay: 8000,
  maxPause: 120_000,
};

/** Retries of rate-limited requests, which are sent more slowly each time. */
export const RATE_RETRIES: RetryPolicy = { ...ROW_RETRIES, retries: 30 };

/** Retries while a server is down. They take longer than a restart. */
export const RESTART_RETRIES: RetryPolicy = { ...ROW_RETRIES, retries: 9 };
