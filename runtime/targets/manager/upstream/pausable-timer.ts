/** A timer that can be paused. */
export interface PausableTimer {
  /** Restarts the timer with its full time. */
  readonly refresh: () => void;
  /** Pauses the timer. Returns a function that resumes it with its full time. */
  readonly hold: () => () => void;
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
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
