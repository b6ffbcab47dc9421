import type { Clock } from '#platform/clock.ts';

export interface HandClock extends Clock {
  /** Advances the time, and runs all timers that are due. */
  readonly pass: (milliseconds: number) => void;
  /** The pending delays, shortest first. */
  readonly waiting: () => readonly number[];
}

/** A clock that only the test advances. */
export function handClock(start = 1_000_000): HandClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const due = (until: number) =>
    [...timers].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at)[0];
  return {
    now: () => now,
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(milliseconds) {
      const until = now + milliseconds;
      for (let next = due(until); next; next = due(until)) {
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = until;
    },
    waiting: () => [...timers].map(({ at }) => at - now).toSorted((one, other) => one - other),
  };
}
