import type { Clock } from '#platform/clock.ts';

export interface TimeLimit {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs work with a signal that is aborted when the time has passed or the client has disconnected. */
export async function limitTime<Result>(
  { clock, signal, timeoutMs }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const control = new AbortController();
  const stop = (): void => control.abort();
  const disarm = clock.after(timeoutMs, stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(control.signal);
  } finally {
    disarm();
    signal.removeEventListener('abort', stop);
  }
}
