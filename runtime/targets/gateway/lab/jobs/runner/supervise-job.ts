import { AppError } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import { pause } from '../../../../../platform/pause.ts';
import type { Claim, Compute, ComputeUnavailable, JobQueue, WorkerEnded } from '../job.ts';
import { isOver } from '../job-row.ts';
import type { WorkerTokens } from '../worker-tokens.ts';
import { keepLease } from './keep-lease.ts';

export interface SuperviseParts {
  readonly queue: JobQueue;
  readonly tokens: WorkerTokens;
  readonly compute: Compute;
  readonly gatewayUrl: (compute: string) => string;
  readonly clock: Clock;
  /** Called when a job could not be started because the compute is unavailable, or with undefined when one was started. */
  readonly onAvailability: (unavailable: ComputeUnavailable | undefined) => void;
  /** Aborted when this gateway stops. */
  readonly closing: AbortSignal;
}

/** Number of workers that can end at the same row, in all gateways together, before the job fails. */
const MAX_FAILED_WORKERS = 3;
const FIRST_PAUSE_MS = 200;

/** Runs workers for a job until it has ended, the lease is lost, or the job is queued again because its compute is unavailable. */
export async function superviseJob(claim: Claim, parts: SuperviseParts): Promise<void> {
  const { queue, clock, closing } = parts;
  const lease = keepLease(claim, queue, clock);
  const stop = AbortSignal.any([closing, lease.ended]);
  try {
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

type Outcome = ComputeUnavailable | { readonly kind: 'failed'; readonly reason: string };

/** Resolves with undefined if the job has ended or the work must stop. */
async function runWorkers(
  claim: Claim,
  { queue, tokens, compute, gatewayUrl, clock, onAvailability }: SuperviseParts,
  stop: AbortSignal,
): Promise<Outcome | undefined> {
  const { epoch } = claim;
  const { id } = claim.job;
  const token = await tokens.sign({ jobId: id, epoch });
  const assignment = { jobId: id, epoch, token, gatewayUrl: gatewayUrl(compute.name) };
  const progress = {
    started: async () => {
      onAvailability(undefined);
      await queue.begin(claim);
    },
    waiting: (reason: string) => queue.explainWait(claim, reason),
  };
  for (;;) {
    const ended = await compute.run(assignment, progress, stop);
    const { status, doneRows } = await queue.get('everyone', id);
    // A paused job is queued again.
    if (stop.aborted || isOver(status) || status === 'created') return undefined;
    if (ended.kind === 'unavailable') {
      if (claim.job.queuedReason !== ended.reason) await queue.log(id, 'warn', waits(ended));
      return ended;
    }
    if (ended.kind === 'refused') return { kind: 'failed', reason: ended.reason };
    const failed = await queue.workerFailed(claim);
    await queue.log(id, 'warn', `The worker ended before the job was finished: ${ended.how}.`);
    for (const line of ended.lines) await queue.log(id, 'warn', line);
    if (failed >= MAX_FAILED_WORKERS) return { kind: 'failed', reason: gaveUp(doneRows, ended) };
    await pause(FIRST_PAUSE_MS * 2 ** failed, clock, stop);
    if (stop.aborted) return undefined;
  }
}

/** Ends a job, unless a worker ended it at the same time. */
async function end(queue: JobQueue, claim: Claim, how: Parameters<JobQueue['end']>[1]): Promise<void> {
  try {
    await queue.end(claim, how);
  } catch (error) {
    if (!(error instanceof AppError && error.reason === 'lease_lost')) throw error;
  }
}

const waits = ({ reason }: ComputeUnavailable): string =>
  `The job stays queued and will be retried: ${reason}`;

const gaveUp = (row: number, { how, lines }: WorkerEnded): string =>
  `The worker ended ${MAX_FAILED_WORKERS} times at row ${row}; last: ${how}` +
  (lines.length === 0 ? '.' : `:\n${lines.join('\n')}`);

const tooLate = ({ job: { timeoutSec } }: Claim): string =>
  `The job made no progress for ${timeoutSec} seconds (job_timeout_sec).`;
