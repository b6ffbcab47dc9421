import type { Claim, Job } from '../job.ts';
import type { ComputeUnavailable, WorkerEnded } from '../compute/compute.ts';

/** Sentences for logs and errors of jobs. */
export const stillQueued = ({ reason }: ComputeUnavailable): string =>
  `The job stays queued and will be retried: ${reason}`;

export const gaveUp = (times: number, row: number, { how, lines }: WorkerEnded): string =>
  `The worker ended ${times} times at row ${row}; last: ${how}` +
  (lines.length === 0 ? '.' : `:\n${lines.join('\n')}`);

export const tooLate = ({ job: { timeoutSec } }: Claim): string =>
  `The job made no progress for ${timeoutSec} seconds (job_timeout_sec).`;

export const resumed = ({ doneRows, totalRows }: Job): string =>
  `The job continues after ${doneRows} of ${totalRows} rows, because the gateway that ran it was stopped or lost its database.`;
