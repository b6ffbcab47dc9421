import type { Clock } from '#platform/clock.ts';

export interface TestClock extends Clock {
  /** Moves the time on and runs what is due. */
  readonly advance: (milliseconds: number) => void;
  /** The time in whole milliseconds, as databases keep it. */
  readonly wholeNow: () => number;
}

/** A time that only passes when a test moves it. It has a fraction, like that of the system, which PostgreSQL rejects for an integer. */
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
