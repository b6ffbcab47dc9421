import { createTestClock, type TestClock } from './test-clock.ts';

export interface ManualClock extends TestClock {
  /** Resolves when the next timer is due in exactly this many milliseconds. */
  nextIn(milliseconds: number): Promise<void>;
}

/** A clock that advances only when a test moves it, and that reports pending timers. */
export function manualClock(): ManualClock {
  const clock = createTestClock();
  const waiting = new Set<{ readonly at: number }>();
  return {
    ...clock,
    after(milliseconds, run) {
      const alarm = { at: clock.now() + milliseconds };
      waiting.add(alarm);
      const cancel = clock.after(milliseconds, () => {
        waiting.delete(alarm);
        run();
      });
      return () => {
        waiting.delete(alarm);
        cancel();
      };
    },
    async nextIn(milliseconds) {
      while (Math.min(...[...waiting].map(({ at }) => at)) - clock.now() !== milliseconds) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
