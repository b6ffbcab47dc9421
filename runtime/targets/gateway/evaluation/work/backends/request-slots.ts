import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';

/** The permission to send one request. @internal Exported for tests only. */
export interface RequestSlot {
  /** Must be called exactly once, when the request has ended. */
  release(isAnswered: boolean): void;
  /** Halves the limit and starts no requests during the pause. Must be called before `release`. */
  rateLimited(pauseMs: number): void;
}

/**
 * Limits concurrent requests to a model. The limit adapts to the model: each rate-limited request halves it,
 * and it grows by one after as many successful requests as it allows.
 */
export interface RequestSlots {
  /**
   * Waits for a free slot. Retries go first, because earlier rows are written first. Rejects if the signal is
   * aborted.
   */
  take(signal: AbortSignal, isRetry: boolean): Promise<RequestSlot>;
  /**
   * Rejects all waiting and later requests. The promise resolves when requests already sent have ended;
   * undefined if there are none.
   */
  close(): Promise<void> | undefined;
}

type Turn = PromiseWithResolvers<void> & { readonly signal: AbortSignal };

export function createRequestSlots(max: number, clock: Clock): RequestSlots {
  let waiting: Turn[] = [];
  /** Signals with a listener. A listener per waiting request would cost time for each of them. */
  const heard = new WeakSet<AbortSignal>();
  const empty = Promise.withResolvers<void>();
  let isClosed = false;
  let limit = max;
  let used = 0;
  let answered = 0;
  /** Number of reductions. Requests sent before the last one do not reduce the limit again. */
  let reductions = 0;
  let pausedUntil = -Infinity;
  let disarm = (): void => undefined;

  const startWaiting = (): void => {
    if (pausedUntil > -Infinity) return;
    while (used < limit) {
      const next = waiting.shift();
      if (!next) return;
      used += 1;
      next.resolve();
    }
  };
  const leaveWhenAborted = (signal: AbortSignal): void => {
    if (heard.has(signal)) return;
    heard.add(signal);
    const leave = (): void => {
      const left = waiting.filter((turn) => turn.signal === signal);
      waiting = waiting.filter((turn) => turn.signal !== signal);
      for (const turn of left) turn.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
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
        if (isClosed && used === 0) empty.resolve();
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
      if (isClosed) throw closed();
      const turn = { ...Promise.withResolvers<void>(), signal };
      if (isRetry) waiting.unshift(turn);
      else waiting.push(turn);
      leaveWhenAborted(signal);
      startWaiting();
      await turn.promise;
      return slot();
    },
    close() {
      isClosed = true;
      disarm();
      for (const turn of waiting.splice(0)) turn.reject(closed());
      return used > 0 ? empty.promise : undefined;
    },
  };
}

const closed = (): AppError =>
  new AppError('CancelledError', 'The job finished before this request was sent.');
