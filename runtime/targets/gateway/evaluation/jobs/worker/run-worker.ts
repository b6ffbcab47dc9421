import type { Clock } from '#platform/clock.ts';
import type { WorkTools, Work, AnswerStore, KeptAnswer, WorkSpec } from '../../work/work.ts';
import type { openWork } from '../../work/open-work.ts';
import { createWorkerClient, type JobsClient } from './client.ts';
import type { WorkerLease, WorkerEnd, WorkerJob, WorkerPause, WorkerRange, WorkerLine } from './protocol.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { isJobPause } from '../../work/job-pause.ts';
import { processRange } from './process-range.ts';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { GROUP_MS } from './write-groups.ts';
import { mergeTotals } from '../../work/inference/totals.ts';

export interface WorkerOptions {
  readonly gatewayUrl: string;
  readonly token: string;
  /** Paths of executables on this machine, keyed by the job's encoder names. */
  readonly files?: WorkTools['files'];
  readonly clock: Clock;
  /** Aborted when the process must stop. */
  readonly signal: AbortSignal;
  readonly open: typeof openWork;
}

/**
 * Works on a job's ranges until no rows are left for this worker, or the job has ended. Resolves with
 * `failed` if this worker failed the job. Rejects if the worker fails or loses the job, so that another one
 * continues.
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

const HEARTBEAT_INTERVAL_MS = 3000;

interface HeartbeatParts {
  readonly client: Pick<JobsClient, 'heartbeat'>;
  readonly clock: Clock;
  /** The lease to renew; null between ranges. */
  readonly range: () => WorkerLease | null;
  /** Called when the worker has lost its rows or its job. */
  readonly onLost: (reason: unknown, range: WorkerLease | null) => void;
}

/**
 * Renews the lease on a worker's rows, and checks whether the job is canceled, which a worker with a long
 * batch would otherwise notice too late.
 */
function startHeartbeat({ client, clock, range, onLost }: HeartbeatParts): {
  readonly stop: () => void;
} {
  let isStopped = false;
  let disarm = (): void => undefined;
  const check = async (): Promise<void> => {
    const renewed = range();
    try {
      const { cancelled } = await client.heartbeat(renewed);
      if (cancelled) throw new Error('The job was canceled.');
    } catch (error) {
      if (!isStopped) onLost(error, renewed);
    }
    if (!isStopped) disarm = clock.after(HEARTBEAT_INTERVAL_MS, () => void check());
  };
  disarm = clock.after(HEARTBEAT_INTERVAL_MS, () => void check());
  return {
    stop() {
      isStopped = true;
      disarm();
    },
  };
}

interface RangesParts {
  readonly job: WorkerJob;
  readonly client: JobsClient;
  readonly clock: Clock;
  readonly log: JobLog;
  /** The responses that the job shares with others. */
  readonly answers: Pick<AnswerClient, 'flushed'> | undefined;
  /** Aborted when the worker must stop. */
  readonly stop: AbortSignal;
  readonly open: (checkpoint: Json | null) => Promise<Work>;
  /** Renews a lease from now on; the signal is aborted when it is lost. */
  readonly hold: (lease: WorkerLease) => AbortSignal;
}

/** Leases and processes ranges, one after the other. Resolves with the job's end if this worker ended or paused it. */
async function runRanges({
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
        // The rows went to another worker, because this one was suspended or could not reach the gateway.
        if (!lost.aborted && !isRangeLost(error)) throw error;
        log.write('warn', messageOf(isRangeLost(error) ? error : lost.reason));
      }
    }
  } finally {
    await work?.close();
  }
}

type Outcome = WorkerEnd | { readonly status: 'paused'; readonly pause: WorkerPause };

async function pauseJob(pause: WorkerPause, client: Pick<JobsClient, 'pause'>, log: JobLog): Promise<void> {
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

/** Delay before the next attempt, unless the model requires a longer one. */
const PAUSE_SECONDS = 30;

/**
 * Runs a range. An AppError is meant for the user and ends or pauses the job; any other error only ends this
 * worker.
 */
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

/** AppError reasons that end the worker but not the job. */
const WORKER_FAILURES: ReadonlySet<string> = new Set([
  'lease_lost',
  'range_lost',
  'wrong_row',
  'gateway_gone',
  'InternalError',
  'CancelledError',
]);

/** Whether a worker has lost its rows to another one, but not the job. */
const isRangeLost = (error: unknown): boolean => error instanceof AppError && error.reason === 'range_lost';

/** Sends a worker's log lines to its job's log. Lines that cannot be sent are dropped and do not fail the job. */
interface JobLog {
  readonly write: WorkTools['log'];
  readonly flushed: () => Promise<void>;
}

/** Maximum number of lines waiting to be sent; additional ones are dropped. */
const MAX_WAITING_LINES = 1000;

function createJobLog({ log }: Pick<JobsClient, 'log'>): JobLog {
  let waiting: WorkerLine[] = [];
  let sent: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) await log(lines).catch(() => undefined);
  };
  return {
    write(level, text) {
      if (waiting.length >= MAX_WAITING_LINES) return;
      waiting.push({ level, text });
      if (waiting.length === 1) sent = sent.then(send);
    },
    flushed: () => sent,
  };
}

/** The responses that a job shares with others in its experiment. Requests for several rows are batched. */
interface AnswerClient extends AnswerStore {
  /** Waits until all responses are sent. */
  flushed(): Promise<void>;
}

/** Maximum number of responses per request, small enough even for the largest ones. */
const MAX_TOGETHER = 100;

function createAnswerClient(
  client: Pick<JobsClient, 'findAnswers' | 'keepAnswers'>,
  clock: Pick<Clock, 'now'>,
): AnswerClient {
  let keptAt = -Infinity;
  const find = together(
    (keys: readonly string[]) => client.findAnswers(keys),
    // Rows started together look up their responses in one event loop turn.
    () => turn(),
  );
  const keep = together(
    async (answers: readonly (KeptAnswer & { readonly key: string })[]) => {
      keptAt = clock.now();
      await client.keepAnswers(answers);
      return answers.map(() => undefined);
    },
    // As with rows: a response that arrives later than this after others is sent immediately.
    () => sleep(Math.max(0, keptAt + GROUP_MS - clock.now())),
  );
  const sending = new Set<Promise<unknown>>();
  return {
    // If the gateway is unreachable, the model is called; the worker notices the lost lease elsewhere.
    find: async (key) => (await find(key).catch(() => null)) ?? undefined,
    keep(key, answer) {
      const sent = keep({ ...answer, key })
        .catch(() => undefined)
        .finally(() => sending.delete(sent));
      sending.add(sent);
      return sent;
    },
    async flushed() {
      await Promise.all(sending);
    },
  };
}

/** Calls a function with all items that were added during its previous call, or during `wait`. */
function together<Item, Result>(
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
  wait: () => Promise<unknown>,
): (item: Item) => Promise<Result> {
  type Waiting = { readonly item: Item } & PromiseWithResolvers<Result>;
  let waiting: Waiting[] = [];
  let isCalling = false;
  const callAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < MAX_TOGETHER) await wait();
      const now = waiting.slice(0, MAX_TOGETHER);
      waiting = waiting.slice(MAX_TOGETHER);
      try {
        const results = await call(now.map(({ item }) => item));
        for (const [at, { resolve }] of now.entries()) resolve(results[at] as Result);
      } catch (error) {
        for (const { reject } of now) reject(error);
      }
    }
    isCalling = false;
  };
  return (item) => {
    const one = { item, ...Promise.withResolvers<Result>() };
    waiting.push(one);
    if (!isCalling) {
      isCalling = true;
      void callAll();
    }
    return one.promise;
  };
}

/**
 * Merges the checkpoints of all of a job's ranges, in row order. An evaluation has only one range.
 * @internal Exported for tests only.
 */
export function mergeCheckpoints(spec: Pick<WorkSpec, 'type'>, checkpoints: readonly Json[]): Json | null {
  return spec.type === 'evaluation' ? (checkpoints[0] ?? null) : mergeTotals(checkpoints);
}
