/** A timer that can be paused. */
export interface PausableTimer {
  /** Restarts the timer with its full time. */
  readonly refresh: () => void;
  /** Pauses the timer. Returns a function that resumes it with its full time. */
  readonly hold: () => () => void;
  /** Starts the timer once more, with another time. */
  readonly extend: (milliseconds: number) => void;
  readonly stop: () => void;
}

/** Maximum delay of timers in Node; a longer timeout never expires. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export function createPausableTimer(milliseconds: number, onTimeout: () => void): PausableTimer {
  const start = (): NodeJS.Timeout | undefined =>
    milliseconds <= MAX_DELAY_MS ? setTimeout(onTimeout, milliseconds) : undefined;
  let timer = start();
  let holders = 0;
  let stopped = false;
  return {
    refresh() {
      if (holders === 0) timer?.refresh();
    },
    hold() {
      holders += 1;
      clearTimeout(timer);
      return () => {
        holders -= 1;
        if (holders === 0 && !stopped) timer = start();
      };
    },
    extend(more) {
      clearTimeout(timer);
      if (holders === 0 && !stopped) timer = setTimeout(onTimeout, more);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
