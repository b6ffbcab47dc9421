import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';

interface WatchParts {
  /** Rejects if the key, its user or its team does not allow the work any more. */
  readonly check: () => Promise<unknown>;
  readonly clock: Pick<Clock, 'after'>;
  readonly onRevoked: (error: AppError) => void;
}

/** A session of a revoked key ends within a second. The key is in a cache, so that a check costs nearly nothing. */
const CHECK_MS = 500;

/** Checks regularly whether work can go on. Returns how to stop. */
export function watchSpender({ check, clock, onRevoked }: WatchParts): () => void {
  let isStopped = false;
  let disarm = (): void => undefined;
  const look = async (): Promise<void> => {
    try {
      await check();
    } catch (thrown) {
      const error = AppError.from(thrown);
      // The database can be available again later.
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
]);
