import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { isJobPause } from '../../work/job-pause.ts';
import { mergeCheckpoints } from '../../work/merge-checkpoints.ts';
import type { Work } from '../../work/work.ts';
import type { AnswerClient } from './answer-client.ts';
import type { WorkerClient } from './client.ts';
import type { JobLog } from './job-log.ts';
import { processRange } from './process-range.ts';
import type { WorkerEnd, WorkerJob, WorkerLease, WorkerPause, WorkerRange } from './protocol.ts';
import { isRangeLost } from './range-lost.ts';

interface RangesParts {
  readonly job: WorkerJob;
  readonly client: WorkerClient;
  readonly clock: Clock;
  readonly log: JobLog;
  /** The answers that the job shares with others. */
  readonly answers: Pick<AnswerClient, 'flushed'> | undefined;
  /** Aborted when the worker must stop. */
  readonly stop: AbortSignal;
  readonly open: (checkpoint: Json | null) => Promise<Work>;
  /** Renews a lease from now on; the signal is aborted when it is lost. */
  readonly hold: (lease: WorkerLease) => AbortSignal;
}

/** Leases and processes ranges, one after the other. Resolves with the end of the job if this worker has ended or paused it. */
export async function runRanges({
  job,
  client,
  clock,
  log,
  answers,
  stop,
  open,
  hold,
}: RangesParts): Promise<Outcome | undefined> {
  let work: Work | undefined;
  const runRange = async (
    range: WorkerRange,
    lease: WorkerLease,
    signal: AbortSignal,
  ): Promise<WorkerEnd | undefined> => {
    const checkpoint = range.checkpoints
      ? mergeCheckpoints(
          job.spec,
          range.checkpoints.map(({ work: state }) => state),
        )
      : (range.checkpoint?.work ?? null);
    if (work) work.resume(checkpoint);
    else work = await open(checkpoint);
    if (range.checkpoints) return { status: 'succeeded', result: work.result() };
    return await processRange({ work, job, range, lease, client, clock, stop: signal });
  };
  try {
    for (;;) {
      const { range } = await client.lease();
      if (!range) return undefined;
      const lease = { first_row: range.first_row, epoch: range.epoch };
      const lost = hold(lease);
      const signal = AbortSignal.any([stop, lost]);
      try {
        const end = await endOf(() => runRange(range, lease, signal), stop);
        if (end) {
          await answers?.flushed();
          if (end.status === 'paused') await pauseJob(end.pause, client, log);
          else await endJob(end, lease, { job, client, log });
          return end;
        }
      } catch (error) {
        stop.throwIfAborted();
        // The rows were given to another worker, because this one was suspended or could not reach the gateway.
        if (!lost.aborted && !isRangeLost(error)) throw error;
        log.write('warn', messageOf(isRangeLost(error) ? error : lost.reason));
      }
    }
  } finally {
    await work?.close();
  }
}

type Outcome = WorkerEnd | { readonly status: 'paused'; readonly pause: WorkerPause };

async function pauseJob(pause: WorkerPause, client: Pick<WorkerClient, 'pause'>, log: JobLog): Promise<void> {
  log.write('warn', `${pause.reason} Next attempt in ${pause.seconds} seconds.`);
  await log.flushed();
  await client.pause(pause);
}

async function endJob(
  end: WorkerEnd,
  range: WorkerLease,
  { job, client, log }: Pick<RangesParts, 'job' | 'client' | 'log'>,
): Promise<void> {
  if (end.status === 'failed') log.write('error', end.error);
  else log.write('info', `Done: ${job.total_rows} rows.`);
  await log.flushed();
  await client.end({ ...end, range });
}

/** Pause before the next attempt, unless the model requires a longer one. */
const PAUSE_SECONDS = 30;

/** Runs a range. An AppError is for the user and ends the job, or pauses it; any other error ends only this worker. */
async function endOf(
  run: () => Promise<WorkerEnd | undefined>,
  stop: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    return await run();
  } catch (error) {
    stop.throwIfAborted();
    if (isJobPause(error)) {
      const seconds = Math.max(PAUSE_SECONDS, error.retryAfterSeconds ?? 0);
      return { status: 'paused', pause: { reason: `Paused: ${error.message}`, seconds } };
    }
    if (!(error instanceof AppError) || WORKER_FAILURES.has(error.reason ?? error.code)) throw error;
    return { status: 'failed', error: messageOf(error) };
  }
}

/** Reasons of AppErrors that end the worker and not the job. */
const WORKER_FAILURES: ReadonlySet<string> = new Set([
  'lease_lost',
  'range_lost',
  'wrong_row',
  'gateway_gone',
  'InternalError',
  'CancelledError',
]);
