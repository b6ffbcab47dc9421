import type { Clock } from '#platform/clock.ts';

/** Measures the time in which at least one call is open, so that concurrent calls are not counted twice. */
export interface BusyTime {
  during<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Milliseconds since the last call of this function. */
  take(): number;
}

export function createBusyTime({ now }: Pick<Clock, 'now'>): BusyTime {
  let open = 0;
  let since = 0;
  let busyMs = 0;
  const count = (change: number): void => {
    const at = now();
    if (open > 0) busyMs += at - since;
    since = at;
    open += change;
  };
  return {
    async during(call) {
      count(1);
      try {
        return await call();
      } finally {
        count(-1);
      }
    },
    take() {
      count(0);
      const taken = busyMs;
      busyMs = 0;
      return taken;
    },
  };
}
