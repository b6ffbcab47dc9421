import type { Clock } from '#platform/clock.ts';

export interface TestClock extends Clock {
  /** Advances the time and runs due timers. */
  readonly advance: (milliseconds: number) => void;
  /** The time in whole milliseconds, as databases store it. */
  readonly wholeNow: () => number;
}

/**
 * A clock that advances only when a test moves it. Its time has a fraction, like the system clock's, which PostgreSQL
 * rejects for an integer.
 */
export function createTestClock(start = Date.parse('2026-03-01T12:00:00Z') + 0.25): TestClock {
  let now = start;
  const timers = new Set<{ readonly due: number; readonly run: () => void }>();
  return {
    now: () => now,
    wholeNow: () => Math.floor(now),
    after(milliseconds, run) {
      const timer = { due: now + milliseconds, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(milliseconds) {
      now += milliseconds;
      for (const timer of [...timers].filter(({ due }) => due <= now)) {
        timers.delete(timer);
        timer.run();
      }
    },
  };
}
