import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { pause } from '#platform/wait-for.ts';
import { databaseFailure } from '../../../store/database-error.ts';
import type { Claim, JobQueue, Job } from '../job.ts';
import type {
  Compute,
  ComputeUnavailable,
  ComputeProgress,
  ComputeEnd,
  WorkerEnded,
} from '../compute/compute.ts';
import type { WorkerTokens } from '../worker-tokens.ts';
import { type WorkersSetting, workersOf } from './workers-of.ts';
import { randomUUID } from 'node:crypto';

export interface WorkersParts {
  readonly queue: JobQueue;
  readonly tokens: WorkerTokens;
  readonly compute: Compute;
  readonly gatewayUrl: (compute: string) => string;
  readonly clock: Clock;
  readonly workers: WorkersSetting;
  /** Compute slots for additional workers. The first worker uses the slot that the job was claimed for. */
  readonly slots: { readonly take: () => boolean; readonly give: () => void };
  /**
   * Called when a worker could not be started because the compute is unavailable, or with undefined when one
   * was started.
   */
  readonly onAvailability: (unavailable: ComputeUnavailable | undefined) => void;
}

type Outcome = ComputeUnavailable | { readonly kind: 'failed'; readonly reason: string };

/** Number of workers that can end at the same row, across all gateways, before the job fails. */
const MAX_FAILED_WORKERS = 3;
const FIRST_PAUSE_MS = 200;
/** Interval at which workers are added. */
const TICK_MS = 1000;

/** Runs a job's workers. Resolves with undefined if the job has ended or the work must stop. */
export async function runWorkers(
  claim: Claim,
  parts: WorkersParts,
  stop: AbortSignal,
): Promise<Outcome | undefined> {
  const { queue, tokens, compute, gatewayUrl, clock, slots, onAvailability } = parts;
  const { epoch, job } = claim;
  const { id } = job;
  const leaving = new AbortController();
  const signal = AbortSignal.any([stop, leaving.signal]);
  const progress = createProgress(claim, { queue, onAvailability });
  let [extraSlots, nextStartAt, maxWorkers] = [0, 0, Infinity];
  const crew = createCrew({
    clock,
    run: async (worker) => {
      const token = await tokens.sign({ jobId: id, epoch, worker });
      return await compute.run(
        { jobId: id, epoch, token, gatewayUrl: gatewayUrl(compute.name) },
        progress,
        signal,
      );
    },
    onEnd() {
      if (extraSlots === 0) return;
      extraSlots -= 1;
      slots.give();
    },
  });

  const addWorkers = async (): Promise<void> => {
    if (clock.now() < nextStartAt) return;
    const limit = Math.min(maxWorkers, await workersOf(parts.workers, job.spec, compute));
    const wanted = Math.max(1, Math.min(limit, await queue.possibleWorkers(claim)));
    // Done before the first worker leases rows, because it must leave some for the others.
    if (crew.size() === 0) await queue.divide(claim, wanted);
    while (crew.size() < wanted) {
      if (crew.size() > 0) {
        if (!slots.take()) return;
        extraSlots += 1;
      }
      crew.start();
    }
  };
  const afterFailure = async ({ worker, end }: EndedWorker): Promise<Outcome | undefined> => {
    if (end.kind !== 'ended') {
      await queue.workerEnded(claim, worker, false);
      if (end.kind === 'unavailable') {
        if (job.queuedReason !== end.reason) await queue.log(id, 'warn', stillQueued(end));
        if (crew.size() === 0) return end;
        onAvailability(end);
      } else {
        if (crew.size() === 0) return { kind: 'failed', reason: end.reason };
        await queue.log(id, 'warn', end.reason);
        maxWorkers = crew.size();
      }
      return undefined;
    }
    // A worker without rows ends while others still have some, but never as the last one.
    const hasFailed = !end.succeeded || crew.size() === 0;
    const { times, row } = await queue.workerEnded(claim, worker, hasFailed);
    if (!hasFailed) return undefined;
    await queue.log(id, 'warn', `The worker exited before the job was finished: ${end.how}.`);
    for (const line of end.lines) await queue.log(id, 'warn', line);
    const { doneRows, workers } = await queue.get('everyone', id);
    if (times >= (row === null ? Math.max(1, workers) : 1) * MAX_FAILED_WORKERS) {
      return { kind: 'failed', reason: gaveUp(times, row ?? doneRows, end) };
    }
    nextStartAt = clock.now() + FIRST_PAUSE_MS * 2 ** Math.min(times, MAX_FAILED_WORKERS);
    return undefined;
  };
  /** False when the job has ended, even if it is being retried by now. */
  const isHeld = (): Promise<boolean> =>
    queue.held(id, epoch).then(
      () => true,
      (error: unknown) => {
        if (isLeaseLost(error)) return false;
        throw error;
      },
    );

  /** A worker that has ended, until that is recorded. */
  let ended: EndedWorker | undefined;
  const step = async (): Promise<Outcome | 'over' | undefined> => {
    if (!(await isHeld())) return 'over';
    if (!ended) {
      await addWorkers();
      const wait = Math.min(TICK_MS, Math.max(0, nextStartAt - clock.now()) || TICK_MS);
      ended = await crew.next(wait, signal);
      if (!ended || stop.aborted) return undefined;
      if (!(await isHeld())) return 'over';
    }
    const outcome = await afterFailure(ended);
    ended = undefined;
    return outcome;
  };

  // A finished job's workers end on their own.
  let isOver = false;
  try {
    while (!stop.aborted && !isOver) {
      const outcome = await step().catch(async (error: unknown) => {
        if (!isTemporary(error)) throw error;
        await pause(TICK_MS, clock, stop);
        return undefined;
      });
      if (outcome === 'over') isOver = true;
      else if (outcome) return outcome;
    }
    return undefined;
  } finally {
    if (!isOver) leaving.abort();
    await crew.allEnded();
  }
}

/**
 * The next step finds out whether the lease is lost or the database is back. If not, the lease keeper ends
 * the work.
 */
const isTemporary = (error: unknown): boolean => isLeaseLost(error) || databaseFailure(error) !== undefined;

const isLeaseLost = (error: unknown): boolean => error instanceof AppError && error.reason === 'lease_lost';

interface ProgressParts {
  readonly queue: Pick<JobQueue, 'begin' | 'explainWait' | 'log'>;
  readonly onAvailability: (unavailable: ComputeUnavailable | undefined) => void;
}

/** Stores what a compute reports about a job's workers. */
function createProgress(claim: Claim, { queue, onAvailability }: ProgressParts): ComputeProgress {
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

interface EndedWorker {
  readonly worker: string;
  readonly end: ComputeEnd;
}

/** A job's workers that are running or being started. */
interface Crew {
  readonly size: () => number;
  readonly start: () => void;
  /** Resolves with a worker that has ended, or with undefined after a timeout or when the signal is aborted. */
  readonly next: (withinMs: number, signal: AbortSignal) => Promise<EndedWorker | undefined>;
  /** Resolves when all workers have ended. */
  readonly allEnded: () => Promise<void>;
}

interface CrewOptions {
  readonly run: (worker: string) => Promise<ComputeEnd>;
  readonly clock: Clock;
  /** Called for each worker that ends. */
  readonly onEnd: () => void;
}

function createCrew({ run, clock, onEnd }: CrewOptions): Crew {
  const running = new Set<Promise<void>>();
  let size = 0;
  const ended: (EndedWorker | { readonly error: unknown })[] = [];
  let wake = (): void => undefined;

  const runOne = async (worker: string): Promise<void> => {
    const one = await run(worker).then(
      (end) => ({ worker, end }),
      (error: unknown) => ({ error }),
    );
    size -= 1;
    ended.push(one);
    onEnd();
    wake();
  };
  return {
    size: () => size,
    start() {
      size += 1;
      const one = runOne(randomUUID()).finally(() => running.delete(one));
      running.add(one);
    },
    async next(withinMs, signal) {
      if (ended.length === 0) {
        const woken = new AbortController();
        wake = () => woken.abort();
        await pause(withinMs, clock, AbortSignal.any([signal, woken.signal]));
      }
      const one = ended.shift();
      if (one && 'error' in one) throw one.error;
      return one;
    },
    async allEnded() {
      await Promise.all(running);
    },
  };
}

/** Sentences for logs and errors of jobs. */
const stillQueued = ({ reason }: ComputeUnavailable): string =>
  `The job stays queued and will be retried: ${reason}`;

const gaveUp = (times: number, row: number, { how, lines }: WorkerEnded): string =>
  `The worker exited ${times} times at row ${row}; last: ${how}` +
  (lines.length === 0 ? '.' : `:\n${lines.join('\n')}`);

export const tooLate = ({ job: { timeoutSec } }: Claim): string =>
  `The job made no progress for ${timeoutSec} seconds (job_timeout_sec).`;

export const resumed = ({ doneRows, totalRows }: Job): string =>
  `The job resumes after ${doneRows} of ${totalRows} rows, because the gateway that ran it was stopped or lost its database connection.`;
