import { AppError } from '#contract/errors.ts';
import { type Leave, TurnQueue } from '#core/limits/turn-queue.ts';
import type { Clock } from '#platform/clock.ts';

/** Limits how many processes or connections a server with one per user has. */
export interface InstanceLimit {
  /** Number of processes or connections that are starting, open or closing. */
  readonly running: number;
  /** Throws an OverloadedError if no more users can wait. */
  check(): void;
  /** Takes a place before a start. Returns the function that frees it after the end of the process. */
  enter(signal: AbortSignal, onWaiting: (reason: string) => void): Promise<Leave>;
  resize(max: number, maxWaiting: number): void;
}

export interface InstanceLimitOptions {
  readonly server: string;
  readonly max: number;
  /** Maximum number of users that wait for a place. */
  readonly maxWaiting: number;
  readonly clock: Clock;
  /** Stops up to this many instances that no call uses, the least recently used ones first. */
  readonly makeRoom: (count: number) => void;
}

/** Interval of the search for unused instances while users wait. */
const ROOM_CHECK_MS = 100;

export function createInstanceLimit({
  server,
  clock,
  makeRoom,
  ...limits
}: InstanceLimitOptions): InstanceLimit {
  let max = limits.max;
  const places = new TurnQueue(max, limits.maxWaiting);
  let cancelCheck: (() => void) | undefined;
  const checkRoom = (): void => {
    cancelCheck = undefined;
    if (places.waiting === 0) return;
    makeRoom(places.waiting);
    cancelCheck = clock.after(ROOM_CHECK_MS, checkRoom);
  };
  const isFull = (): boolean => places.running >= max || places.waiting > 0;
  let maxWaiting = limits.maxWaiting;
  return {
    get running() {
      return places.running;
    },
    check() {
      if (!isFull() || places.waiting < maxWaiting) return;
      throw new AppError(
        'OverloadedError',
        `server busy: ${server}: it runs for ${places.running} users, the maximum (max_instances), and ${places.waiting} more are waiting; retry in 1 s`,
        { retryAfterSeconds: 1 },
      );
    },
    async enter(signal, onWaiting) {
      const turn = places.ask();
      if (turn.kind === 'granted') return turn.leave;
      // The caller has called `check` in the same turn of the event loop.
      if (turn.kind === 'refused') throw new AppError('OverloadedError', `server busy: ${server}`);
      onWaiting(`all ${max} instances (max_instances) are in use by other users`);
      if (!cancelCheck) checkRoom();
      const aborted = Promise.withResolvers<never>();
      const onAbort = (): void => aborted.reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        signal.throwIfAborted();
        await Promise.race([turn.granted, aborted.promise]);
        return turn.leave;
      } catch (error) {
        turn.leave();
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    resize(newMax, newMaxWaiting) {
      max = newMax;
      maxWaiting = newMaxWaiting;
      places.resize(newMax, newMaxWaiting);
    },
  };
}
