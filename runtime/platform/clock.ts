/** The current time and timers; tests replace it to avoid waiting. */
export interface Clock {
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
  /** Runs a function once after a delay; the returned function cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

/** Cached, because the time origin is constant, and reading it costs more than reading the time. */
const ORIGIN = performance.timeOrigin;

const now = (): number => ORIGIN + performance.now();

export const systemClock: Clock = {
  now,
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A clock whose timers do not keep the process running. */
export const backgroundClock: Clock = {
  now,
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
