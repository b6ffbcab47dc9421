import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Claim, JobQueue } from '../job.ts';
import type { Compute, ComputeUnavailable } from '../compute/compute.ts';
import type { WorkerTokens } from '../worker-tokens.ts';
import type { WorkersSetting } from './workers-of.ts';
import { AppError } from '#contract/errors.ts';
import { resumed, tooLate, runWorkers, type WorkersParts } from './run-workers.ts';
import { LEASE_MS } from '../lease.ts';

export interface RunnerOptions {
  readonly queue: JobQueue;
  readonly tokens: WorkerTokens;
  readonly computes: readonly ComputeSlots[];
  /** Maximum number of workers per job. */
  readonly workers: WorkersSetting;
  /** URL at which a compute's workers reach this gateway. */
  readonly gatewayUrl: (compute: string) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface ComputeSlots {
  readonly compute: Compute;
  /** Number of workers that this gateway runs there concurrently; `auto` for as many as fit. */
  readonly slots: number | 'auto';
}

/** Claims jobs from the queue while there are free slots. */
export interface Runner {
  readonly start: () => void;
  /** Stops running jobs and releases them, so that other gateways (or this one after a restart) can continue. */
  readonly close: () => Promise<void>;
}

const POLL_INTERVAL_MS = 100;
/** Polling interval after a database error, which usually lasts longer than a moment. */
const POLL_INTERVAL_AFTER_ERROR_MS = 5000;

export function createRunner({ computes, clock, log, ...parts }: RunnerOptions): Runner {
  const { queue } = parts;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const counts = new Map<Compute, number>();
  const limits = new Map<Compute, number>();
  /** Computes that no job is waiting for. Only these have slots for additional workers of a running job. */
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
          'compute unavailable; its jobs stay queued',
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
      // The lease is no longer renewed, so the job is claimed again once it has expired.
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

/** Backoff between attempts, doubled after each failure. */
interface Backoff {
  /** Whether the next attempt is due. */
  readonly isOver: () => boolean;
  /**
   * Starts a longer pause; must be called after a failure. Returns false during a pause: parallel attempts
   * count as one.
   */
  readonly extend: () => boolean;
  /** Resets the backoff; must be called after a success. */
  readonly reset: () => void;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

function createBackoff(clock: Clock): Backoff {
  let pauseMs = 0;
  let nextAt = -Infinity;
  const isOver = (): boolean => clock.now() >= nextAt;
  return {
    isOver,
    extend() {
      if (!isOver()) return false;
      pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs));
      nextAt = clock.now() + pauseMs;
      return true;
    },
    reset() {
      pauseMs = 0;
      nextAt = -Infinity;
    },
  };
}

interface SuperviseParts extends WorkersParts {
  /** Aborted when this gateway stops. */
  readonly closing: AbortSignal;
}

/**
 * Runs a job's workers until the job has ended, the lease is lost, or the job is queued again because its
 * compute is unavailable.
 */
async function superviseJob(claim: Claim, parts: SuperviseParts): Promise<void> {
  const { queue, clock, closing } = parts;
  const lease = keepLease(claim, queue, clock);
  const stop = AbortSignal.any([closing, lease.ended]);
  try {
    if (!stop.aborted && claim.job.status === 'running') await explainResumption(claim, queue);
    const outcome = stop.aborted ? undefined : await runWorkers(claim, parts, stop);
    if (outcome?.kind === 'unavailable') {
      // Reported first, so that the job is not immediately claimed again.
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

/** Shows why a job that had been running is not running, until its first worker is. */
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

/** Why work on a job must stop. */
type StopReason = 'cancelled' | 'late' | 'lost' | 'ended';

interface KeptLease {
  /** Aborted when the work must stop. */
  readonly ended: AbortSignal;
  readonly reason: () => StopReason | undefined;
  /** Stops renewing the lease. */
  readonly stop: () => Promise<void>;
}

/** Renewal interval. It is much shorter than the lease, so that a canceled job stops quickly. */
const RENEW_INTERVAL_MS = 500;
/** Time for workers to end on their own after their job has ended, so that a cluster does not show them as stopped. */
const ENDING_MS = 10_000;

/** Renews a job's lease, and stops the work when the job is canceled, its time limit expires or the lease is lost. */
function keepLease(claim: Claim, queue: Pick<JobQueue, 'renew'>, clock: Clock): KeptLease {
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
      // A database error is not final: the database may be available again before the lease expires.
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
