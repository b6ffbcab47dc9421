import { EventEmitter, once } from 'node:events';
import { AppError } from '../contract/errors.ts';
import { settlesWithin } from '../platform/settles-within.ts';

type Phase = 'starting' | 'ready' | 'draining';

/** Where a server stands between its start and its end, and what it still has to answer. All transports share one. */
export interface Lifecycle {
  readonly phase: () => Phase;
  /** Resolves when the next phase begins, rejects when the signal is aborted before. */
  readonly changed: (signal: AbortSignal) => Promise<void>;
  readonly ready: () => void;
  /**
   * Counts a request in; the function it returns counts it out again. Throws an UnavailableError while the server starts or
   * ends: what was let in is answered, what was not is told so. `onCut` hears when there is no time left for an answer.
   */
  readonly enter: (onCut?: (reason: AppError) => void) => () => void;
  /**
   * Counts in work that outlives the request it belongs to, also while the server ends. The request must still be counted in.
   * The function it returns counts the work out; `onCut` is called when there is no time left for it.
   */
  readonly extend: (onCut: (reason: AppError) => void) => () => void;
  /** How many requests are in now. */
  readonly inside: () => number;
  /** Lets nobody in any more; resolves when everybody is out, or when patience has run out. */
  readonly drain: (patienceMilliseconds?: number) => Promise<void>;
  /** Tells those who are still in that their answer ends now. */
  readonly cut: (reason: AppError) => void;
}

export function createLifecycle(): Lifecycle {
  let phase: Phase = 'starting';
  let inside = 0;
  let cutBy: AppError | undefined;
  const toldOfCut = new Set<(reason: AppError) => void>();
  // One listener for each client that watches, and there may be many.
  const changes = new EventEmitter().setMaxListeners(0);
  const begin = (next: Phase): void => {
    phase = next;
    changes.emit('change');
  };
  const empty = Promise.withResolvers<void>();
  const settle = (): void => {
    if (phase === 'draining' && inside === 0) empty.resolve();
  };
  const countIn = (onCut: ((reason: AppError) => void) | undefined): (() => void) => {
    inside += 1;
    if (onCut) toldOfCut.add(onCut);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      inside -= 1;
      if (onCut) toldOfCut.delete(onCut);
      settle();
    };
  };
  return {
    phase: () => phase,
    async changed(signal) {
      await once(changes, 'change', { signal });
    },
    ready() {
      if (phase === 'starting') begin('ready');
    },
    enter(onCut) {
      if (phase !== 'ready') {
        throw phase === 'starting'
          ? new AppError('UnavailableError', 'The server is starting. Retry in a moment.')
          : new AppError('UnavailableError', 'The server is shutting down.', { reason: 'shutting_down' });
      }
      return countIn(onCut);
    },
    extend(onCut) {
      if (cutBy) onCut(cutBy);
      return countIn(onCut);
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
      for (const tell of toldOfCut) tell(reason);
    },
  };
}
