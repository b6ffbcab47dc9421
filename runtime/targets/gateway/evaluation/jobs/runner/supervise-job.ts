import { AppError } from '#contract/errors.ts';
import type { Claim, JobQueue } from '../job.ts';
import { keepLease } from './keep-lease.ts';
import { resumed, tooLate } from './reasons.ts';
import { runWorkers, type WorkersParts } from './run-workers.ts';

export interface SuperviseParts extends WorkersParts {
  /** Aborted when this gateway stops. */
  readonly closing: AbortSignal;
}

/** Runs workers for a job until it has ended, the lease is lost, or the job is queued again because its compute is unavailable. */
export async function superviseJob(claim: Claim, parts: SuperviseParts): Promise<void> {
  const { queue, clock, closing } = parts;
  const lease = keepLease(claim, queue, clock);
  const stop = AbortSignal.any([closing, lease.ended]);
  try {
    if (!stop.aborted && claim.job.status === 'running') await explainResumption(claim, queue);
    const outcome = stop.aborted ? undefined : await runWorkers(claim, parts, stop);
    if (outcome?.kind === 'unavailable') {
      // Reported first, so that the job is not claimed again immediately.
      parts.onAvailability(outcome);
      await queue.postpone(claim, outcome.reason);
    } else if (outcome) await end(queue, claim, { status: 'failed', error: outcome.reason });
    else if (lease.reason() === 'cancelled')
      await end(queue, claim, { status: 'stopped', error: 'Cancelled.' });
    else if (lease.reason() === 'late') await end(queue, claim, { status: 'failed', error: tooLate(claim) });
    else if (closing.aborted) await queue.release(claim);
  } finally {
    await lease.stop();
  }
}

/** Shows why a job that was running does not run, until its first worker does. */
async function explainResumption(claim: Claim, queue: JobQueue): Promise<void> {
  const reason = resumed(claim.job);
  await queue.explainWait(claim, reason);
  await queue.log(claim.job.id, 'warn', reason);
}

/** Ends a job, unless a worker ended it at the same time. */
async function end(queue: JobQueue, claim: Claim, how: Parameters<JobQueue['end']>[1]): Promise<void> {
  try {
    await queue.end(claim, how);
  } catch (error) {
    if (!(error instanceof AppError && error.reason === 'lease_lost')) throw error;
  }
}
