import type { Clock } from '#platform/clock.ts';

/** Pauses between attempts, doubled after each failure. */
export interface Backoff {
  /** Whether the next attempt is due. */
  readonly isOver: () => boolean;
  /** Starts a longer pause; must be called after a failure. Returns false during a pause: parallel attempts count as one. */
  readonly extend: () => boolean;
  /** Ends the pauses; must be called after a success. */
  readonly reset: () => void;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

export function createBackoff(clock: Clock): Backoff {
  let pauseMs = 0;
  let nextAt = -Infinity;
  const isOver = (): boolean => clock.now() >= nextAt;
  return {
    isOver,
    extend() {
      if (!isOver()) return false;
      pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs));
      nextAt = clock.now() + pauseMs;
      return true;
    },
    reset() {
      pauseMs = 0;
      nextAt = -Infinity;
    },
  };
}
