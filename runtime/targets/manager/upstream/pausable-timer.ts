/** A timer that can be told that its time does not count now. */
export interface PausableTimer {
  /** Gives it its whole time again. */
  readonly refresh: () => void;
  /** Stops it until the function it returns is called, from when on it has its whole time. */
  readonly hold: () => () => void;
  readonly stop: () => void;
}

/** Timers of Node hold no more; longer is for ever. */
const LONGEST_MS = 2 ** 31 - 1;

export function createPausableTimer(milliseconds: number, onTimeout: () => void): PausableTimer {
  const start = (): NodeJS.Timeout | undefined =>
    milliseconds <= LONGEST_MS ? setTimeout(onTimeout, milliseconds) : undefined;
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
