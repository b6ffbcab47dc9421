import type { Clock } from '#platform/clock.ts';
import type { WorkTools } from '../../work/work.ts';
import type { openWork } from '../../work/open-work.ts';
import { createAnswerClient } from './answer-client.ts';
import { createWorkerClient } from './client.ts';
import { createJobLog } from './job-log.ts';
import { startHeartbeat } from './heartbeat.ts';
import { runRanges } from './run-ranges.ts';
import type { WorkerLease } from './protocol.ts';
import { isRangeLost } from './range-lost.ts';

export interface WorkerOptions {
  readonly gatewayUrl: string;
  readonly token: string;
  /** Paths of executables on this machine, by the job's names of its encoders. */
  readonly files?: WorkTools['files'];
  readonly clock: Clock;
  /** Aborted when the process must stop. */
  readonly signal: AbortSignal;
  readonly open: typeof openWork;
}

/**
 * Works on ranges of a job until no rows are left for this worker, or the job has ended. Resolves with `failed` if this worker has
 * failed the job. Rejects if the worker fails or loses the job, so that another one continues.
 */
export async function runWorker({
  gatewayUrl,
  token,
  files,
  clock,
  signal,
  open,
}: WorkerOptions): Promise<'done' | 'failed'> {
  const over = new AbortController();
  const client = createWorkerClient({ gatewayUrl, token, clock, signal });
  try {
    const job = await client.job();
    const log = createJobLog(client);
    const answers = job.shares_answers ? createAnswerClient(client, clock) : undefined;
    const tools: WorkTools = {
      gateway: { url: gatewayUrl, token },
      secret: (name) => client.secret(name),
      trusted: job.trusted,
      log: log.write,
      files,
      answers,
    };
    let held: { readonly lease: WorkerLease; readonly lost: AbortController } | undefined;
    const heartbeat = startHeartbeat({
      client,
      clock,
      range: () => held?.lease ?? null,
      onLost(reason, lease) {
        if (!isRangeLost(reason)) over.abort(reason);
        else if (held?.lease === lease) held?.lost.abort(reason);
      },
    });
    try {
      const end = await runRanges({
        job,
        client,
        clock,
        log,
        answers,
        stop: AbortSignal.any([signal, over.signal]),
        open: (checkpoint) => open(job.spec, tools, checkpoint),
        hold(lease) {
          held = { lease, lost: new AbortController() };
          return held.lost.signal;
        },
      });
      return end?.status === 'failed' ? 'failed' : 'done';
    } finally {
      heartbeat.stop();
      await log.flushed();
    }
  } catch (error) {
    if (signal.aborted) return 'done';
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    await client.close();
  }
}
