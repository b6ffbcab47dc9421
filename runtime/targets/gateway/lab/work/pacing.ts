import type { RetryPolicy } from '../../shared/retry-plan.ts';
import { type Clock, systemClock } from '../../../../platform/clock.ts';

/** How work waits; tests bring a clock of their own. */
export interface Pacing {
  readonly clock: Clock;
  readonly random: () => number;
}

export const PACING: Pacing = { clock: systemClock, random: Math.random };

/** Nobody waits for a single row, so that a provider that asks for a pause gets it. */
export const ROW_RETRIES: RetryPolicy = {
  retries: 3,
  baseDelay: 250,
  maxDelay: 8000,
  maxPause: 120_000,
};

/** For a server that is away; one that is started again is back in less. */
export const RESTART_RETRIES: RetryPolicy = { ...ROW_RETRIES, retries: 9 };
