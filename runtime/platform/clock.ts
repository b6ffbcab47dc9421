/** The time, and how to wait for it; tests bring their own, and need not wait. */
export interface Clock {
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
  /** Runs something once after that many milliseconds, unless what is returned is called before. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

/** It never changes, and asking for it each time costs more than the time itself. */
const ORIGIN = performance.timeOrigin;

export const systemClock: Clock = {
  now: () => ORIGIN + performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
