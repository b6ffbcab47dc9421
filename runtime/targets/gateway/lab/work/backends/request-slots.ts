import type { Clock } from '../../../../../platform/clock.ts';

/** The permission to send one request. @internal Exported for tests only. */
export interface RequestSlot {
  /** Must be called once, when the request has ended. */
  release(isAnswered: boolean): void;
  /** Halves the limit and starts no request during the pause. Must be called before `release`. */
  rateLimited(pauseMs: number): void;
}

/**
 * Limits the concurrent requests to a model. The limit adapts to the model: each rate-limited request halves it, and it grows by one
 * whenever as many requests were answered as it allows.
 */
export interface RequestSlots {
  /** Waits for a free slot. Retries are first, because earlier rows are written first. Rejects if the signal is aborted. */
  take(signal: AbortSignal, isRetry: boolean): Promise<RequestSlot>;
}

export function createRequestSlots(max: number, clock: Clock): RequestSlots {
  const waiting: (() => void)[] = [];
  let limit = max;
  let used = 0;
  let answered = 0;
  /** Number of reductions. Requests that were sent before the last one do not reduce the limit again. */
  let reductions = 0;
  let pausedUntil = -Infinity;
  let disarm = (): void => undefined;

  const startWaiting = (): void => {
    if (pausedUntil > -Infinity) return;
    while (used < limit) {
      const start = waiting.shift();
      if (!start) return;
      used += 1;
      start();
    }
  };
  const pauseFor = (milliseconds: number): void => {
    const until = clock.now() + milliseconds;
    if (until <= pausedUntil) return;
    pausedUntil = until;
    disarm();
    disarm = clock.after(milliseconds, () => {
      pausedUntil = -Infinity;
      startWaiting();
    });
  };
  const slot = (): RequestSlot => {
    const sentAfter = reductions;
    return {
      release(isAnswered) {
        used -= 1;
        if (isAnswered && limit < max && (answered += 1) >= limit) {
          limit += 1;
          answered = 0;
        }
        startWaiting();
      },
      rateLimited(pauseMs) {
        pauseFor(pauseMs);
        if (sentAfter !== reductions) return;
        reductions += 1;
        answered = 0;
        limit = Math.max(1, Math.floor(limit / 2));
      },
    };
  };
  return {
    async take(signal, isRetry) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (): void => {
        const at = waiting.indexOf(resolve);
        if (at === -1) return;
        waiting.splice(at, 1);
        reject(signal.reason);
      };
      if (isRetry) waiting.unshift(resolve);
      else waiting.push(resolve);
      signal.addEventListener('abort', leave, { once: true });
      startWaiting();
      try {
        await promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
      return slot();
    },
  };
}
