import type { Clock } from '#platform/clock.ts';

export interface RetentionOptions {
  /** Deletes records whose retention has expired. */
  readonly prune: (now: number) => Promise<void>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const INTERVAL_MS = 3_600_000;
const FIRST_MS = 60_000;

/** Deletes old records every hour, starting one minute after startup. Returns a function that stops it. */
export function enforceRetention({ prune, clock, onError }: RetentionOptions): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const run = (): void => {
    running = prune(clock.now())
      .catch(onError)
      .finally(() => {
        if (!isStopped) disarm = clock.after(INTERVAL_MS, run);
      });
  };
  let disarm = clock.after(FIRST_MS, run);
  return async () => {
    isStopped = true;
    disarm();
    await running;
  };
}
