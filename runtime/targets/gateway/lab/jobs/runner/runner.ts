import type { Clock } from '../../../../../platform/clock.ts';
import type { Logger } from '../../../../../serve/log.ts';
import type { Claim, Compute, ComputeUnavailable, JobQueue } from '../job.ts';
import type { WorkerTokens } from '../worker-tokens.ts';
import { createBackoff } from './backoff.ts';
import { superviseJob } from './supervise-job.ts';

export interface RunnerOptions {
  readonly queue: JobQueue;
  readonly tokens: WorkerTokens;
  readonly computes: readonly ComputeSlots[];
  /** Where workers reach this gateway, by the name of their compute. */
  readonly gatewayUrl: (compute: string) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface ComputeSlots {
  readonly compute: Compute;
  /** How many jobs run there at once for this gateway. */
  readonly slots: number;
}

/** Takes jobs from the queue as long as there are free slots. */
export interface Runner {
  readonly start: () => void;
  /** Stops what runs and gives it back, so that others, or this gateway when it is back, can go on. */
  readonly close: () => Promise<void>;
}

const LOOK_EVERY_MS = 100;
/** A database that does not answer will not right away. */
const LOOK_AGAIN_AFTER_FAILURE_MS = 5000;

export function createRunner({ computes, clock, log, ...parts }: RunnerOptions): Runner {
  const { queue } = parts;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const counts = new Map<Compute, number>();
  const backoffs = new Map(computes.map(({ compute }) => [compute, createBackoff(clock)]));
  let looking: Promise<void> | undefined;
  let disarm = (): void => undefined;

  const supervise = async (claim: Claim, compute: Compute): Promise<void> => {
    const { id } = claim.job;
    log.info({ job: id, compute: compute.name, epoch: claim.epoch }, 'working on a job');
    const backoff = backoffs.get(compute);
    const onAvailability = (unavailable: ComputeUnavailable | undefined): void => {
      if (!unavailable) backoff?.reset();
      else if (backoff?.extend()) {
        log.warn({ compute: compute.name, reason: unavailable.reason }, 'jobs wait for their compute');
      }
    };
    try {
      await superviseJob(claim, { ...parts, compute, clock, onAvailability, closing: closing.signal });
    } catch (error) {
      // Nobody renews the lease any more: when it has run out, the job is claimed again.
      log.error({ job: id, err: error }, 'a job could not be looked after');
    }
    counts.set(compute, (counts.get(compute) ?? 1) - 1);
    look();
  };
  const isFree = (compute: Compute, slots: number): boolean =>
    !closing.signal.aborted &&
    (counts.get(compute) ?? 0) < slots &&
    backoffs.get(compute)?.isOver() !== false;
  const claimAll = async (): Promise<void> => {
    for (const { compute, slots } of computes) {
      while (isFree(compute, slots)) {
        const claim = await queue.claim([compute.name]);
        if (!claim) break;
        counts.set(compute, (counts.get(compute) ?? 0) + 1);
        const supervised = supervise(claim, compute).finally(() => running.delete(supervised));
        running.add(supervised);
      }
    }
  };
  const lookOnce = async (): Promise<void> => {
    let pause = LOOK_EVERY_MS;
    try {
      await claimAll();
    } catch (error) {
      log.error({ err: error }, 'jobs could not be looked for');
      pause = LOOK_AGAIN_AFTER_FAILURE_MS;
    }
    looking = undefined;
    disarm();
    if (!closing.signal.aborted) disarm = clock.after(pause, look);
  };
  const look = (): void => {
    disarm();
    if (closing.signal.aborted) return;
    looking ??= lookOnce();
  };
  return {
    start: look,
    async close() {
      closing.abort();
      disarm();
      await looking;
      await Promise.all(running);
      for (const { compute } of computes) await compute.close();
    },
  };
}
