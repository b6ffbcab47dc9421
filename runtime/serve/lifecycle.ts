import { EventEmitter, once } from 'node:events';
import { AppError } from '#contract/errors.ts';
import { OpenList } from '#core/limits/open-list.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import type { MiddlewareHandler } from 'hono';

/** In the phase `stopping`, a server reports that it is not ready, but still admits requests. */
type Phase = 'starting' | 'ready' | 'stopping' | 'draining';

/**
 * Tracks whether a server is starting, running or stopping, and its running requests. All
 * transports share one lifecycle.
 */
export interface Lifecycle {
  readonly phase: () => Phase;
  /** Calls the listener once, as soon as the server announces that it will stop or begins to stop. */
  readonly onStop: (listener: () => void) => void;
  /** Resolves when the next phase starts. Rejects if the signal is aborted before that. */
  readonly changed: (signal: AbortSignal) => Promise<void>;
  readonly ready: () => void;
  /**
   * Registers a request; the returned function unregisters it. Throws an UnavailableError while the
   * server starts or stops. `onCut` is called when there is no time left for a response.
   */
  readonly enter: (onCut?: (reason: AppError) => void) => () => void;
  /**
   * Registers work that outlives its request, even while the server stops. The request must still
   * be registered. The returned function unregisters the work; `onCut` is called when there is no
   * time left for it.
   */
  readonly extend: (onCut: (reason: AppError) => void) => () => void;
  /** Reports that the server is not ready, so that load balancers stop sending requests. */
  readonly announceStop: () => void;
  /** Number of running requests. */
  readonly inside: () => number;
  /** Stops admitting requests; resolves when all running requests have ended, or after the timeout. */
  readonly drain: (patienceMilliseconds?: number) => Promise<void>;
  /** Calls `onCut` of all running requests. */
  readonly cut: (reason: AppError) => void;
}

/** The error for requests that arrive too late. */
export const shuttingDown = (): AppError =>
  new AppError('UnavailableError', 'The server is shutting down.', { reason: 'shutting_down' });

export function createLifecycle(): Lifecycle {
  let phase: Phase = 'starting';
  let inside = 0;
  let cutBy: AppError | undefined;
  const cutListeners = new OpenList<(reason: AppError) => void>();
  // There is one listener per client that watches the health, so the number of listeners is not limited.
  const changes = new EventEmitter().setMaxListeners(0);
  const begin = (next: Phase): void => {
    phase = next;
    changes.emit('change');
    if (isStopping()) changes.emit('stop');
  };
  const isStopping = (): boolean => phase === 'stopping' || phase === 'draining';
  const empty = Promise.withResolvers<void>();
  const settle = (): void => {
    if (phase === 'draining' && inside === 0) empty.resolve();
  };
  const countIn = (onCut: ((reason: AppError) => void) | undefined): (() => void) => {
    inside += 1;
    const listening = onCut && cutListeners.add(onCut);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      inside -= 1;
      if (listening) cutListeners.delete(listening);
      settle();
    };
  };
  return {
    phase: () => phase,
    onStop(listener) {
      if (isStopping()) listener();
      else changes.once('stop', listener);
    },
    async changed(signal) {
      await once(changes, 'change', { signal });
    },
    ready() {
      if (phase === 'starting') begin('ready');
    },
    enter(onCut) {
      if (phase !== 'ready' && phase !== 'stopping') {
        throw phase === 'starting'
          ? new AppError('UnavailableError', 'The server is starting. Retry in a moment.')
          : shuttingDown();
      }
      return countIn(onCut);
    },
    extend(onCut) {
      if (cutBy) onCut(cutBy);
      return countIn(onCut);
    },
    announceStop() {
      if (phase === 'ready') begin('stopping');
    },
    inside: () => inside,
    async drain(patienceMilliseconds) {
      begin('draining');
      settle();
      if (patienceMilliseconds === undefined) await empty.promise;
      else await settlesWithin(patienceMilliseconds, empty.promise);
    },
    cut(reason) {
      cutBy = reason;
      for (const tell of cutListeners.items()) tell(reason);
    },
  };
}

/**
 * Runs the work of a request so that a shutdown waits for it. Rejects with a retryable error while the
 * server starts or stops.
 */
export async function runAdmitted<Result>(
  lifecycle: Lifecycle,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const leave = lifecycle.enter();
  try {
    return await work();
  } finally {
    leave();
  }
}

/**
 * Middleware for routes whose requests must be completed before the server stops. Requests that
 * arrive too early or too late get a retryable error.
 */
export const admit =
  (lifecycle: Lifecycle): MiddlewareHandler =>
  (_c, next) =>
    runAdmitted(lifecycle, next);
