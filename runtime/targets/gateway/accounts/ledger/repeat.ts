import type { Clock } from '#platform/clock.ts';

/** Runs work at an interval, never concurrently. `stop` waits for a call in progress. */
export function repeat(
  clock: Clock,
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): { readonly stop: () => Promise<void> } {
  let stopped = false;
  let cancel: (() => void) | undefined;
  let current: Promise<void> = Promise.resolve();

  const wait = (): void => {
    if (!stopped) cancel = clock.after(everyMs, run);
  };
  const run = (): void => {
    current = work().catch(onError).finally(wait);
  };
  wait();
  return {
    stop: async () => {
      stopped = true;
      cancel?.();
      await current;
    },
  };
}
