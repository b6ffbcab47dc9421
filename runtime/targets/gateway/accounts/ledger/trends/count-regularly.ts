import type { Clock } from '#platform/clock.ts';
import type { UsageTrends } from './trends-api.ts';

const INTERVAL_MS = 60_000;
const FIRST_MS = 2000;

/** Adds new usage to the aggregates every minute. Returns a function that stops it. */
export function countRegularly(
  trends: Pick<UsageTrends, 'count'>,
  clock: Clock,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = trends
      .count(clock.now(), stopping.signal)
      .catch(onError)
      .finally(() => {
        if (!stopping.signal.aborted) disarm = clock.after(INTERVAL_MS, run);
      });
  };
  let disarm = clock.after(FIRST_MS, run);
  return async () => {
    stopping.abort();
    disarm();
    await running;
  };
}
