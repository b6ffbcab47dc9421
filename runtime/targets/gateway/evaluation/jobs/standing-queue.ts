import { AppError } from '#contract/errors.ts';
import type { Claim, JobQueue } from './job.ts';
import { leaseLost } from './lease.ts';
import { endOfStanding, type Standing } from './standing.ts';

/**
 * A queue that ends jobs whose key no longer allows them: when they are claimed, at each renewal of their lease, and at each request of a
 * worker. So it does not matter on which machine and in which program their workers run.
 */
export function createStandingQueue(queue: JobQueue, standing: Standing): JobQueue {
  /** Ends the job if it must not go on. Resolves with whether it goes on. */
  const goesOn = async (claim: Claim): Promise<boolean> => {
    const { job } = claim;
    try {
      await standing.require(job);
      return true;
    } catch (thrown) {
      const error = endOfStanding(thrown);
      if (error === undefined) throw thrown;
      await queue.log(job.id, 'error', error);
      await queue.end(claim, { status: 'stopped', error }).catch(ignoreEnded);
      return false;
    }
  };
  return {
    ...queue,
    async claim(computes) {
      for (;;) {
        const claim = await queue.claim(computes);
        if (!claim || (await goesOn(claim))) return claim;
      }
    },
    async held(id, epoch) {
      const claim = await queue.held(id, epoch);
      if (await goesOn(claim)) return claim;
      throw leaseLost(id);
    },
    renew: async (claim) => ((await goesOn(claim)) ? await queue.renew(claim) : 'ended'),
  };
}

/** Another request of the job can end it at the same time. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof AppError && error.reason === 'lease_lost')) throw error;
}
