import { AppError, messageOf } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Work, WorkTools } from '../../work/work.ts';
import { isJobPause } from '../../work/job-pause.ts';
import type { openWork } from '../../work/open-work.ts';
import { createAnswerClient } from './answer-client.ts';
import { createWorkerClient, type WorkerClient } from './client.ts';
import type { WorkerEnd, WorkerJob, WorkerPause } from './protocol.ts';
import { createJobLog, type JobLog } from './job-log.ts';
import { startHeartbeat } from './heartbeat.ts';
import { processRows } from './process-rows.ts';

export interface WorkerOptions {
  readonly gatewayUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** Aborted when the process must stop. */
  readonly signal: AbortSignal;
  readonly open: typeof openWork;
}

/** Works on one job until it has ended or is stopped. Rejects if the worker fails or loses the job, so that another one continues. */
export async function runWorker({ gatewayUrl, token, clock, signal, open }: WorkerOptions): Promise<void> {
  const over = new AbortController();
  const client = createWorkerClient({ gatewayUrl, token, clock, signal });
  try {
    const job = await client.job();
    const stop = AbortSignal.any([signal, over.signal]);
    const heartbeat = startHeartbeat(client, clock, (reason) => over.abort(reason));
    const log = createJobLog(client);
    const answers = job.shares_answers ? createAnswerClient(client) : undefined;
    const tools: WorkTools = {
      gateway: { url: gatewayUrl, token },
      secret: (name) => client.secret(name),
      trusted: job.trusted,
      log: log.write,
      answers,
    };
    try {
      const end = await endOf(() => open(job.spec, tools, job.checkpoint?.work ?? null), job, client, stop);
      await answers?.flushed();
      if (end.status === 'paused') return await pauseJob(end.pause, client, log);
      if (end.status === 'failed') log.write('error', end.error);
      else log.write('info', `Done: ${job.total_rows} rows.`);
      await log.flushed();
      await client.end(end);
    } finally {
      heartbeat.stop();
      await log.flushed();
    }
  } catch (error) {
    if (signal.aborted) return;
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    await client.close();
  }
}

type Outcome = WorkerEnd | { readonly status: 'paused'; readonly pause: WorkerPause };

async function pauseJob(pause: WorkerPause, client: Pick<WorkerClient, 'pause'>, log: JobLog): Promise<void> {
  log.write('warn', `${pause.reason} Next attempt in ${pause.seconds} seconds.`);
  await log.flushed();
  await client.pause(pause);
}

/** Pause before the next attempt, unless the model requires a longer one. */
const PAUSE_SECONDS = 30;

/** Runs the work. An AppError is for the user and ends the job, or pauses it; any other error ends only this worker. */
async function endOf(
  open: () => Promise<Work>,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<Outcome> {
  try {
    const work = await open();
    try {
      return await processRows(work, job, client, stop);
    } finally {
      await work.close();
    }
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
  'wrong_row',
  'gateway_gone',
  'InternalError',
  'CancelledError',
]);
