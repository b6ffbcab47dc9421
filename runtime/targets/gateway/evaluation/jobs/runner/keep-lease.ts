import type { Clock } from '#platform/clock.ts';
import type { Claim, JobQueue } from '../job.ts';
import { LEASE_MS } from '../lease.ts';

/** Why the work on a job must stop. */
type StopReason = 'cancelled' | 'late' | 'lost' | 'ended';

export interface KeptLease {
  /** Aborted when the work must stop. */
  readonly ended: AbortSignal;
  readonly reason: () => StopReason | undefined;
  /** Stops renewing the lease. */
  readonly stop: () => Promise<void>;
}

/** Interval of renewals. It is much shorter than the lease, so that a cancelled job stops quickly. */
const RENEW_INTERVAL_MS = 500;
/** Time for workers to end by themselves after the end of their job, so that a cluster does not show them as stopped. */
const ENDING_MS = 10_000;

/** Renews the lease of a job, and stops the work when the job is cancelled, its time limit expires or the lease is lost. */
export function keepLease(claim: Claim, queue: Pick<JobQueue, 'renew'>, clock: Clock): KeptLease {
  const ended = new AbortController();
  let stopReason: StopReason | undefined;
  let renewing: Promise<void> | undefined;
  let renewedAt = clock.now();
  let isStopped = false;
  let disarm = (): void => undefined;

  const end = (reason: StopReason): void => {
    stopReason ??= reason;
    if (reason !== 'ended') return ended.abort();
    isStopped = true;
    disarm = clock.after(ENDING_MS, () => ended.abort());
  };
  const renew = async (): Promise<void> => {
    const sentAt = clock.now();
    try {
      const state = await queue.renew(claim);
      if (state === 'held') renewedAt = sentAt;
      else end(state);
    } catch {
      // A database error is not final: the database can be available again before the lease expires.
      if (clock.now() - renewedAt >= LEASE_MS) end('lost');
    }
    if (!isStopped) disarm = clock.after(RENEW_INTERVAL_MS, beat);
  };
  const beat = (): void => void (renewing = renew());
  if (claim.isCancelled) end('cancelled');
  beat();
  return {
    ended: ended.signal,
    reason: () => stopReason,
    async stop() {
      isStopped = true;
      await renewing;
      disarm();
    },
  };
}
