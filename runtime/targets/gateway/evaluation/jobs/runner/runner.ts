import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Claim, JobQueue } from '../job.ts';
import type { Compute, ComputeUnavailable } from '../compute/compute.ts';
import type { WorkerTokens } from '../worker-tokens.ts';
import { createBackoff } from './backoff.ts';
import { superviseJob } from './supervise-job.ts';
import type { WorkersSetting } from './workers-of.ts';

export interface RunnerOptions {
  readonly queue: JobQueue;
  readonly tokens: WorkerTokens;
  readonly computes: readonly ComputeSlots[];
  /** Maximum number of workers of a job. */
  readonly workers: WorkersSetting;
  /** URL at which workers of a compute reach this gateway. */
  readonly gatewayUrl: (compute: string) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface ComputeSlots {
  readonly compute: Compute;
  /** Number of workers that this gateway runs there concurrently; `auto` for as many as there is room for. */
  readonly slots: number | 'auto';
}

/** Claims jobs from the queue while there are free slots. */
export interface Runner {
  readonly start: () => void;
  /** Stops running jobs and releases them, so that other gateways, or this one after a restart, can continue. */
  readonly close: () => Promise<void>;
}

const POLL_INTERVAL_MS = 100;
/** Interval after a database error, which usually lasts longer than a moment. */
const POLL_INTERVAL_AFTER_ERROR_MS = 5000;

export function createRunner({ computes, clock, log, ...parts }: RunnerOptions): Runner {
  const { queue } = parts;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const counts = new Map<Compute, number>();
  const limits = new Map<Compute, number>();
  /** Computes for which no job waits. Only they have slots for further workers of a running job. */
  const idle = new Set<Compute>();
  const backoffs = new Map(computes.map(({ compute }) => [compute, createBackoff(clock)]));
  let polling: Promise<void> | undefined;
  let disarm = (): void => undefined;

  const supervise = async (claim: Claim, compute: Compute): Promise<void> => {
    const { id } = claim.job;
    log.info({ job: id, compute: compute.name, epoch: claim.epoch }, 'job claimed');
    const backoff = backoffs.get(compute);
    const onAvailability = (unavailable: ComputeUnavailable | undefined): void => {
      if (!unavailable) backoff?.reset();
      else if (backoff?.extend()) {
        log.warn(
          { compute: compute.name, reason: unavailable.reason },
          'compute unavailable, its jobs stay queued',
        );
      }
    };
    const slots = {
      take(): boolean {
        if (!idle.has(compute) || !isFree(compute)) return false;
        count(compute, 1);
        return true;
      },
      give(): void {
        count(compute, -1);
        poll();
      },
    };
    try {
      const given = { ...parts, compute, clock, slots, onAvailability, closing: closing.signal };
      await superviseJob(claim, given);
    } catch (error) {
      // The lease is no longer renewed, so the job is claimed again when it has expired.
      log.error({ job: id, err: error }, 'supervising a job failed');
    }
    slots.give();
  };
  const count = (compute: Compute, change: 1 | -1): void =>
    void counts.set(compute, (counts.get(compute) ?? 0) + change);
  const isFree = (compute: Compute): boolean =>
    !closing.signal.aborted &&
    (counts.get(compute) ?? 0) < (limits.get(compute) ?? 0) &&
    backoffs.get(compute)?.isOver() !== false;
  const claimAll = async (): Promise<void> => {
    for (const { compute, slots } of computes) {
      limits.set(compute, slots === 'auto' ? await compute.capacity() : slots);
      while (isFree(compute)) {
        const claim = await queue.claim([compute.name]);
        if (!claim) {
          idle.add(compute);
          break;
        }
        idle.delete(compute);
        count(compute, 1);
        const supervised = supervise(claim, compute).finally(() => running.delete(supervised));
        running.add(supervised);
      }
    }
  };
  const pollOnce = async (): Promise<void> => {
    let pause = POLL_INTERVAL_MS;
    try {
      await claimAll();
    } catch (error) {
      log.error({ err: error }, 'polling for jobs failed');
      pause = POLL_INTERVAL_AFTER_ERROR_MS;
    }
    polling = undefined;
    disarm();
    if (!closing.signal.aborted) disarm = clock.after(pause, poll);
  };
  const poll = (): void => {
    disarm();
    if (closing.signal.aborted) return;
    polling ??= pollOnce();
  };
  return {
    start: poll,
    async close() {
      closing.abort();
      disarm();
      await polling;
      await Promise.all(running);
      for (const { compute } of computes) await compute.close();
    },
  };
}
