import { url as debuggerUrl } from 'node:inspector';
import { spawnWorker } from '#platform/worker-requests.ts';
import { BEATS, COUNTERS, DEBUGGER, REQUESTS, type WatchdogOrder } from './stall-clock.ts';

export interface WatchdogOptions {
  /** Time in milliseconds that the event loop must be blocked; 0 disables the watchdog. */
  readonly timeoutMs: number;
  /** Number of running requests, for the log. */
  readonly requests: () => number;
  /** Whether the watched thread is the main thread. The stacks of other threads are not logged. Default: true. */
  readonly isMainThread?: boolean | undefined;
  /**
   * Delay before the watchdog's thread is started. Default: a few seconds, so that it does not slow
   * down the startup.
   */
  readonly delayMs?: number | undefined;
}

const MAX_INTERVAL_MS = 1000;
const START_DELAY_MS = 3000;

/**
 * Terminates the process if its event loop is blocked, so that a supervisor restarts it, because a
 * blocked process cannot respond to requests or signals. A separate thread does this, and logs the
 * stack of the watched thread. Returns the function that stops the watchdog.
 */
export function startWatchdog({
  timeoutMs,
  requests,
  isMainThread = true,
  delayMs,
}: WatchdogOptions): () => void {
  if (timeoutMs === 0) return () => undefined;
  const shared = new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT);
  const counters = new Int32Array(shared);
  const intervalMs = Math.min(MAX_INTERVAL_MS, timeoutMs / 5);
  const beat = (): void => {
    Atomics.add(counters, BEATS, 1);
    Atomics.store(counters, REQUESTS, requests());
    Atomics.store(counters, DEBUGGER, debuggerUrl() === undefined ? 0 : 1);
  };
  const beating = setInterval(beat, intervalMs).unref();
  let thread: ReturnType<typeof spawnWorker> | undefined;
  const starting = setTimeout(
    () => {
      thread = spawnWorker('watchdog', new URL('./thread.ts', import.meta.url), {
        workerData: { shared, timeoutMs, intervalMs, isMainThread } satisfies WatchdogOrder,
        resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
      });
      thread.unref();
      // The server keeps running if the watchdog fails.
      thread.on('error', () => undefined);
    },
    delayMs ?? Math.min(START_DELAY_MS, timeoutMs),
  ).unref();
  return () => {
    clearInterval(beating);
    clearTimeout(starting);
    void thread?.terminate();
  };
}
