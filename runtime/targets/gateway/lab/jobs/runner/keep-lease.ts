import type { Clock } from '../../../../../platform/clock.ts';
import type { Claim, JobQueue } from '../job.ts';
import { LEASE_MS } from '../claims.ts';

/** Why work on a job has to stop. */
type Why = 'cancelled' | 'late' | 'lost';

export interface KeptLease {
  /** Aborted when the work has to stop. */
  readonly over: AbortSignal;
  readonly why: () => Why | undefined;
  /** The time limit of the job, once its work has begun. */
  readonly limit: (deadlineAt: number) => void;
  /** Gives no signs of life any more. */
  readonly stop: () => Promise<void>;
}

/** Whoever cancels should not have to wait; the lease alone would need fewer signs of life. */
const EVERY_MS = 500;

/** Gives signs of life for a job, and notices when somebody wants it to stop, or its time is over. */
export function keepLease(claim: Claim, queue: Pick<JobQueue, 'renew'>, clock: Clock): KeptLease {
  const over = new AbortController();
  let why: Why | undefined;
  let renewing: Promise<void> | undefined;
  let renewedAt = clock.now();
  let isStopped = false;
  let { deadlineAt } = claim;
  let disarm = (): void => undefined;

  const end = (reason: Why): void => {
    why ??= reason;
    over.abort();
  };
  const isLate = (): boolean => deadlineAt !== null && clock.now() >= deadlineAt;
  const renew = async (): Promise<void> => {
    const asked = clock.now();
    try {
      const state = await queue.renew(claim);
      if (state === 'held') renewedAt = asked;
      else end(state);
    } catch {
      // The database may be back before the lease has run out.
      if (clock.now() - renewedAt >= LEASE_MS) end('lost');
    }
    if (isLate()) end('late');
    if (!isStopped) disarm = clock.after(EVERY_MS, beat);
  };
  const beat = (): void => void (renewing = renew());
  if (claim.isCancelled) end('cancelled');
  else if (isLate()) end('late');
  beat();
  return {
    over: over.signal,
    why: () => why,
    limit: (at) => void (deadlineAt = at),
    async stop() {
      isStopped = true;
      await renewing;
      disarm();
    },
  };
}
