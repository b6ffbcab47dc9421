import type { SessionClock } from '#serve/mcp/session-store.ts';

/** A clock that only the test advances. */
export function manualClock(): SessionClock & {
  advance(milliseconds: number): void;
  readonly timers: number;
} {
  let time = 0;
  const timers = new Set<{ readonly interval: number; next: number; readonly run: () => void }>();
  return {
    now: () => time,
    every(interval, run) {
      const timer = { interval, next: time + interval, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(milliseconds) {
      time += milliseconds;
      for (const timer of timers) {
        if (timer.next > time) continue;
        timer.next = time + timer.interval;
        timer.run();
      }
    },
    get timers() {
      return timers.size;
    },
  };
}
