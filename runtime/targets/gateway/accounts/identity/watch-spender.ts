import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';

interface WatchParts {
  /** Rejects if the credential is no longer valid, or its user or team can no longer use the model. */
  readonly check: () => Promise<unknown>;
  readonly clock: Pick<Clock, 'after'>;
  readonly onRevoked: (error: AppError) => void;
}

/**
 * With this interval, the session or the wait of a revoked or expired credential ends within a second. Keys
 * and verified tokens are cached, so a check costs almost nothing.
 */
const CHECK_MS = 500;

/** Checks regularly whether a session or a wait can continue. Returns a function that stops the checks. */
export function watchSpender({ check, clock, onRevoked }: WatchParts): () => void {
  let isStopped = false;
  let disarm = (): void => undefined;
  const look = async (): Promise<void> => {
    try {
      await check();
    } catch (thrown) {
      const error = AppError.from(thrown);
      // The database may be available again later.
      if (FINAL.has(error.code) && !isStopped) {
        isStopped = true;
        onRevoked(error);
      }
    }
    if (!isStopped) disarm = clock.after(CHECK_MS, () => void look());
  };
  disarm = clock.after(CHECK_MS, () => void look());
  return () => {
    isStopped = true;
    disarm();
  };
}

const FINAL: ReadonlySet<AppError['code']> = new Set([
  'UnauthorizedError',
  'ForbiddenError',
  'NotFoundError',
  // A worker that has lost its job.
  'ConflictError',
]);

interface ValidityParts extends Pick<WatchParts, 'check' | 'clock'> {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Whether the spender of a request is still allowed to send it. */
export interface Validity {
  /** Also aborted, with the error as the reason, when a check fails during a wait. */
  readonly signal: AbortSignal;
  /** Runs a function that can wait, and checks the spender meanwhile. */
  readonly whileWaiting: <Result>(wait: () => Promise<Result>) => Promise<Result>;
  /** Throws if the spender is no longer allowed to send the request. */
  readonly check: () => Promise<unknown>;
}

export function openValidity({ check, clock, signal }: ValidityParts): Validity {
  const revoked = new AbortController();
  return {
    signal: AbortSignal.any([signal, revoked.signal]),
    async whileWaiting(wait) {
      const stop = watchSpender({ check, clock, onRevoked: (error) => revoked.abort(error) });
      try {
        return await wait();
      } finally {
        stop();
      }
    },
    check,
  };
}
