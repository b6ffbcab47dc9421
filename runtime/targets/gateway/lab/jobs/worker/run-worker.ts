import { AppError, messageOf } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Work, WorkTools } from '../../work/work.ts';
import type { openWork } from '../../work/open-work.ts';
import { createWorkerClient, type WorkerClient } from './client.ts';
import type { WorkerEnd, WorkerJob } from './protocol.ts';
import { createSaid } from './said.ts';
import { startSignsOfLife } from './signs-of-life.ts';
import { workThrough } from './work-through.ts';

export interface WorkerOptions {
  readonly gatewayUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** Aborted when somebody wants it to stop. */
  readonly signal: AbortSignal;
  readonly open: typeof openWork;
}

/** Works on one job until it ends, here or for this worker. Rejects if it could not: then somebody else has to. */
export async function runWorker({ gatewayUrl, token, clock, signal, open }: WorkerOptions): Promise<void> {
  const over = new AbortController();
  const client = createWorkerClient({ gatewayUrl, token, clock, signal });
  try {
    const job = await client.job();
    const stop = AbortSignal.any([signal, over.signal]);
    const signs = startSignsOfLife(client, clock, (reason) => over.abort(reason));
    const said = createSaid(client);
    const tools: WorkTools = {
      gateway: { url: gatewayUrl, token },
      secret: (name) => client.secret(name),
      trusted: job.trusted,
      log: said.say,
    };
    try {
      const end = await endOf(() => open(job.spec, tools, job.checkpoint?.work ?? null), job, client, stop);
      if (end.status === 'failed') said.say('error', end.error);
      else said.say('info', `Done: ${job.total_rows} rows.`);
      await said.flushed();
      await client.end(end);
    } finally {
      signs.stop();
      await said.flushed();
    }
  } catch (error) {
    if (signal.aborted) return;
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    await client.close();
  }
}

/** What went wrong in words for its user ends the job; anything else ends only this worker. */
async function endOf(
  open: () => Promise<Work>,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<WorkerEnd> {
  try {
    const work = await open();
    try {
      return await workThrough(work, job, client, stop);
    } finally {
      await work.close();
    }
  } catch (error) {
    stop.throwIfAborted();
    if (!(error instanceof AppError) || NOT_THE_JOBS.has(error.reason ?? error.code)) throw error;
    return { status: 'failed', error: messageOf(error) };
  }
}

const NOT_THE_JOBS: ReadonlySet<string> = new Set([
  'lease_lost',
  'wrong_row',
  'gateway_gone',
  'InternalError',
  'CancelledError',
]);
