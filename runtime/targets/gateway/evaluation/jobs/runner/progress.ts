import type { Claim, JobQueue } from '../job.ts';
import type { ComputeProgress, ComputeUnavailable } from '../compute/compute.ts';

interface ProgressParts {
  readonly queue: Pick<JobQueue, 'begin' | 'explainWait' | 'log'>;
  readonly onAvailability: (unavailable: ComputeUnavailable | undefined) => void;
}

/** Stores what a compute reports about the workers of a job. */
export function createProgress(claim: Claim, { queue, onAvailability }: ProgressParts): ComputeProgress {
  const { id } = claim.job;
  let hasStarted = false;
  let shown: string | null = null;
  return {
    async started() {
      hasStarted = true;
      shown = null;
      onAvailability(undefined);
      await queue.begin(claim);
    },
    async waiting(reason) {
      // Workers that are already running do not wait for this one.
      if (!hasStarted) await queue.explainWait(claim, reason);
    },
    async unreachable(problem) {
      const reason = problem === null ? null : `${problem} Running workers continue.`;
      if (reason === shown) return;
      shown = reason;
      await queue.explainWait(claim, reason);
      if (reason !== null) await queue.log(id, 'warn', reason);
    },
  };
}
