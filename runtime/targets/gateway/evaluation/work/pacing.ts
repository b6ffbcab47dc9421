import type { RetryPolicy } from '#core/limits/retry-delay.ts';
import { type Clock, systemClock } from '#platform/clock.ts';

/** Clock and randomness for retries; tests replace both. */
export interface Pacing {
  readonly clock: Clock;
  readonly random: () => number;
}

export const PACING: Pacing = { clock: systemClock, random: Math.random };

/** Row retries. No client is waiting for a single row, so long delays requested by a provider are respected. */
export const ROW_RETRIES: RetryPolicy = {
  retries: 3,
  baseDelay: 250,
  maxDelay: 8000,
  maxPause: 120_000,
};

/** Retries of rate-limited requests, each time more slowly. */
export const RATE_RETRIES: RetryPolicy = { ...ROW_RETRIES, retries: 30 };

/** Retries while a server is down. In total, they last longer than a restart. */
export const RESTART_RETRIES: RetryPolicy = { ...ROW_RETRIES, retries: 9 };
