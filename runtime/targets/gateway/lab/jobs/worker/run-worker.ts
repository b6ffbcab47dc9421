import { AppError, messageOf } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Work, WorkTools } from '../../work/work.ts';
import type { openWork } from '../../work/open-work.ts';
import { createWorkerClient, type WorkerClient } from './client.ts';
import type { WorkerEnd, WorkerJob } from './protocol.ts';
import { createJobLog } from './job-log.ts';
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
    const tools: WorkTools = {
      gateway: { url: gatewayUrl, token },
      secret: (name) => client.secret(name),
      trusted: job.trusted,
      log: log.write,
    };
    try {
      const end = await endOf(() => open(job.spec, tools, job.checkpoint?.work ?? null), job, client, stop);
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

/** Runs the work. An AppError is for the user and ends the job; any other error ends only this worker. */
async function endOf(
  open: () => Promise<Work>,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<WorkerEnd> {
  try {
    const work = await open();
    try {
      return await processRows(work, job, client, stop);
    } finally {
      await work.close();
    }
  } catch (error) {
    stop.throwIfAborted();
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
