import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { readErrorBody, createJsonClient } from '#serve/client/json-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { KeptAnswer } from '../../work/work.ts';
import { LEASE_MS } from '../lease.ts';
import {
  WORKER_PATHS,
  type WorkerAlive,
  type WorkerBatch,
  type WorkerEnding,
  type WorkerFailedRows,
  type WorkerJob,
  type WorkerLease,
  type WorkerLeased,
  type WorkerLine,
  type WorkerPause,
  type WorkerReplacement,
  type WorkerRows,
  type WorkerWritten,
} from './protocol.ts';

/**
 * The gateway's worker API. All methods throw an AppError, with reason `lease_lost` if the lease is lost or
 * the job has ended.
 */
export interface JobsClient {
  job(): Promise<WorkerJob>;
  lease(): Promise<WorkerLeased>;
  /** Rows from a row on, all of them before another row. */
  rows(from: number, to: number): Promise<WorkerRows>;
  commit(batch: WorkerBatch): Promise<WorkerWritten>;
  failedRows(from: number, to: number): Promise<WorkerFailedRows>;
  replace(rows: WorkerReplacement): Promise<WorkerWritten>;
  log(lines: readonly WorkerLine[]): Promise<void>;
  /** Renews the lease on a range. */
  heartbeat(range: WorkerLease | null): Promise<WorkerAlive>;
  end(end: WorkerEnding): Promise<void>;
  pause(pause: WorkerPause): Promise<void>;
  /** The cached responses with these keys, in the same order; null for a key without one. */
  findAnswers(keys: readonly string[]): Promise<readonly (KeptAnswer | null)[]>;
  keepAnswers(answers: readonly (KeptAnswer & { readonly key: string })[]): Promise<void>;
  secret(name: string): Promise<string>;
  close(): Promise<void>;
}

export interface WorkerClientOptions {
  readonly gatewayUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

const RETRY_DELAY_MS = 200;
/** Request timeout. Writing a large batch can take the gateway a while. */
const RESPONSE_MS = 60_000;

/** Retries requests for the duration of a lease, so that workers survive a restart of the gateway. */
export function createWorkerClient({ gatewayUrl, token, clock, signal }: WorkerClientOptions): JobsClient {
  const headers = { authorization: `Bearer ${token}` };
  const client = createJsonClient(gatewayUrl, { headers, connections: 4, answerMs: RESPONSE_MS });

  const once = async (path: string, body: string | undefined): Promise<unknown> => {
    const method = body === undefined ? 'GET' : 'POST';
    const { status, text } = await client.ask({ method, path, body, signal });
    if (status < 300) return text === '' ? undefined : parseJsonText(text);
    throw refusalOf(status, text);
  };
  const request = async (path: string, message?: object): Promise<unknown> => {
    const body = message === undefined ? undefined : JSON.stringify(message);
    const retryUntil = clock.now() + LEASE_MS;
    for (;;) {
      try {
        return await once(path, body);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError && error.code !== 'UnavailableError') throw error;
        if (clock.now() >= retryUntil) throw unreachable(gatewayUrl, error);
        await sleep(RETRY_DELAY_MS);
        signal.throwIfAborted();
      }
    }
  };

  return {
    job: async () => (await request(WORKER_PATHS.job)) as WorkerJob,
    lease: async () => (await request(WORKER_PATHS.ranges, {})) as WorkerLeased,
    rows: async (from, to) => (await request(`${WORKER_PATHS.rows}?from=${from}&to=${to}`)) as WorkerRows,
    commit: async (batch) => (await request(WORKER_PATHS.batches, batch)) as WorkerWritten,
    failedRows: async (from, to) =>
      (await request(`${WORKER_PATHS.failedRows}?from=${from}&to=${to}`)) as WorkerFailedRows,
    replace: async (rows) => (await request(WORKER_PATHS.failedRows, rows)) as WorkerWritten,
    log: async (lines) => void (await request(WORKER_PATHS.logs, { lines })),
    heartbeat: async (range) => (await request(WORKER_PATHS.alive, { range })) as WorkerAlive,
    end: async (end) => void (await request(WORKER_PATHS.end, end)),
    findAnswers: async (keys) => {
      const found = (await request(WORKER_PATHS.findAnswers, { keys })) as { answers: (KeptAnswer | null)[] };
      return found.answers;
    },
    keepAnswers: async (answers) => void (await request(WORKER_PATHS.answers, { answers })),
    pause: async (pause) => void (await request(WORKER_PATHS.pause, pause)),
    async secret(name) {
      const path = `${WORKER_PATHS.secrets}/${encodeURIComponent(name)}`;
      return ((await request(path)) as { readonly value: string }).value;
    },
    close: () => client.close(),
  };
}

function refusalOf(status: number, text: string): AppError {
  const { message: detail, code: reason } = readErrorBody(text) ?? { message: text.slice(0, 200) };
  if (status === 401) return leaseLost(detail);
  if (status === 409) return new AppError('ConflictError', detail, { reason: reason ?? 'lease_lost' });
  if (status === 500) return new AppError('InternalError', detail);
  if (status > 500 || status === 408 || status === 429) return new AppError('UnavailableError', detail);
  return new AppError('InputError', detail, { reason });
}

const leaseLost = (message: string): AppError =>
  new AppError('ConflictError', message, { reason: 'lease_lost' });

const unreachable = (gatewayUrl: string, cause: unknown): AppError =>
  new AppError(
    'UnavailableError',
    `The gateway at ${gatewayUrl} was unreachable for ${LEASE_MS / 1000} seconds: ${messageOf(cause)}. The lease of the job has expired.`,
    { cause, reason: 'gateway_gone' },
  );
