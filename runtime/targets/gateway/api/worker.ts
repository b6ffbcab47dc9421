import type { Context } from 'hono';
import { AppError, inputError } from '#contract/errors.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import type { Job, LeasedRange, RangeLease } from '../evaluation/jobs/job.ts';
import { LEASE_MS } from '../evaluation/jobs/lease.ts';
import { failedRowsFrom } from '../evaluation/jobs/worker/failed-rows.ts';
import { outcomeOf } from '../evaluation/jobs/worker/outcome-of.ts';
import {
  WORKER_PATHS,
  type WorkerBatch,
  type WorkerCheckpoint,
  type WorkerEnding,
  type WorkerJob,
  type WorkerLease,
  type WorkerLeased,
  type WorkerRange,
  type WorkerReplacement,
  type WorkerWritten,
} from '../evaluation/jobs/worker/protocol.ts';
import { rowsFrom } from '../evaluation/jobs/worker/rows-from.ts';
import { secretsOfJob } from '../evaluation/jobs/worker-access.ts';
import type { GatewayAppOptions } from './app-options.ts';
import { workerFileRoutes } from './worker-files.ts';
import { workerParts } from './worker-parts.ts';
import {
  workerAlive,
  workerAnswerKeys,
  workerAnswers,
  workerBatch,
  workerEnd,
  workerFailedRows,
  workerFoundAnswers,
  workerHeartbeat,
  workerJob,
  workerLeaseRequest,
  workerLeased,
  workerLines,
  workerPause,
  workerReplacement,
  workerRows,
  workerSecret,
  workerWritten,
} from './worker-schemas.ts';

const LEASE = { first_row: 0, epoch: 1 };
const FROM = {
  name: 'from',
  in: 'query',
  description: 'Index of the first row (0-based).',
  example: 64,
} as const;
const TO = {
  name: 'to',
  in: 'query',
  description: 'Index after the last row (the number of rows in the job).',
  example: 128,
} as const;
const CHECKPOINT = { work: { rows: 2 }, first_error: null };
const ROWS = { first_row: 0, rows: [{ examples: 'fine', ground_truth: 'POSITIVE' }] };

const ANSWER_KEY = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const ANSWER = {
  text: 'POSITIVE',
  reasoning: null,
  promptTokens: 21,
  completionTokens: 2,
  reasoningTokens: 0,
  latencyMs: 312.5,
};

const WRITTEN = answerOf(
  'The rows are written, by this request or by an earlier one with the same rows.',
  workerWritten,
  { failed_rows: 0 },
);

/** `/api/v1/worker`: endpoints for workers. A worker's token only gives access to its own job. */
export function workerRoutes(
  { jobs, answers }: Pick<GatewayContext, 'jobs' | 'answers'>,
  { server }: Pick<GatewayAppOptions, 'server'>,
): readonly Route[] {
  const { queue, datasets, secrets, access, trusts } = jobs;
  const parts = workerParts(access, server);
  const { route, worker, claimOf } = parts;

  return [
    route({
      method: 'get',
      path: WORKER_PATHS.job,
      guard: worker,
      tag: 'Workers',
      id: 'workerJob',
      summary: 'Get the job.',
      answer: answerOf('The job.', workerJob, {
        id: '3f0c9a55-6f0b-4f43-9a5c-7f8f1f2b7f11',
        spec: { type: 'inference' },
        total_rows: 10_000,
        trusted: true,
        shares_answers: true,
        lease_ms: 15_000,
      }),
      run: async (c) => {
        const claim = claimOf(c);
        await access.openAccount(claim);
        const { job } = claim;
        return {
          id: job.id,
          spec: job.spec,
          total_rows: job.totalRows,
          trusted: trusts(job.owner),
          shares_answers: answers.isShared(job),
          lease_ms: LEASE_MS,
        } satisfies WorkerJob;
      },
    }),
    ...workerFileRoutes(jobs, parts),
    route({
      method: 'post',
      path: WORKER_PATHS.ranges,
      guard: worker,
      tag: 'Workers',
      id: 'workerLease',
      summary: 'Lease the next range of rows.',
      request: { schema: workerLeaseRequest, examples: { lease: {} } },
      answer: answerOf('The rows that this worker now holds.', workerLeased, {
        range: {
          ...LEASE,
          row_count: 250,
          next_row: 0,
          retry_row: null,
          checkpoint: null,
          checkpoints: null,
        },
      }),
      run: async (c) => {
        const claim = claimOf(c);
        const range = await queue.lease(claim, claim.worker);
        return { range: range ? rangeView(range) : null } satisfies WorkerLeased;
      },
    }),
    route({
      method: 'get',
      path: WORKER_PATHS.rows,
      guard: worker,
      tag: 'Workers',
      id: 'workerRows',
      summary: 'Get rows of the job.',
      parameters: [FROM, TO],
      answer: answerOf('A batch of rows; empty after the last row.', workerRows, ROWS),
      errors: [422],
      run: async (c) => {
        const { job } = claimOf(c);
        const { from, to } = rowsIn(c, job);
        const rows = await rowsFrom(datasets.rows(job.datasetId, from), to - from);
        return { first_row: from, rows };
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.batches,
      guard: worker,
      tag: 'Workers',
      id: 'workerCommit',
      summary: 'Write the results of the next rows and the checkpoint, in one transaction.',
      request: {
        schema: workerBatch,
        examples: {
          batch: {
            range: LEASE,
            ...ROWS,
            failed: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            checkpoint: CHECKPOINT,
          },
        },
      },
      answer: WRITTEN,
      run: async (c, body) => {
        const claim = claimOf(c);
        // The schema's type is the protocol's type, except for parts that are arbitrary JSON.
        const batch = body as unknown as WorkerBatch;
        const { first_row: firstRow, checkpoint } = batch;
        const failed = await queue.commit(
          claim,
          leaseOf(claim, batch.range),
          firstRow,
          outcomeOf(batch),
          checkpoint,
        );
        await queue.progressed(claim);
        return { failed_rows: failed } satisfies WorkerWritten;
      },
    }),
    route({
      method: 'get',
      path: WORKER_PATHS.failedRows,
      guard: worker,
      tag: 'Workers',
      id: 'workerFailedRows',
      summary: 'During a retry: get the next failed rows.',
      parameters: [FROM, TO],
      answer: answerOf('A batch of failed rows.', workerFailedRows, {
        numbers: [7],
        rows: ROWS.rows,
        next: null,
      }),
      errors: [422],
      run: async (c) => {
        const { job } = claimOf(c);
        return await failedRowsFrom(job, datasets, rowsIn(c, job));
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.failedRows,
      guard: worker,
      tag: 'Workers',
      id: 'workerReplace',
      summary: 'During a retry: replace failed rows with new results.',
      request: {
        schema: workerReplacement,
        examples: {
          rows: {
            range: LEASE,
            from: 0,
            next: null,
            numbers: [7],
            rows: ROWS.rows,
            failed: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            checkpoint: CHECKPOINT,
          },
        },
      },
      answer: WRITTEN,
      run: async (c, body) => {
        const claim = claimOf(c);
        const batch = body as unknown as WorkerReplacement;
        const { from, next, numbers, checkpoint } = batch;
        const replaced = { from, next, numbers, outcome: outcomeOf(batch) };
        const failed = await queue.replace(claim, leaseOf(claim, batch.range), replaced, checkpoint);
        await queue.progressed(claim);
        return { failed_rows: failed } satisfies WorkerWritten;
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.logs,
      guard: worker,
      tag: 'Workers',
      id: 'workerLog',
      summary: 'Append lines to the log of the job.',
      request: {
        schema: workerLines,
        examples: { lines: { lines: [{ level: 'info', text: 'The model is ready.' }] } },
      },
      answer: noContent('The lines are written.'),
      run: async (c, { lines }) => {
        const { job } = claimOf(c);

        for (const { level, text } of lines) await queue.log(job.id, level, text);
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.alive,
      guard: worker,
      tag: 'Workers',
      id: 'workerAlive',
      summary: 'Renew the lease of a range, and check whether the job is canceled.',
      request: { schema: workerHeartbeat, examples: { range: { range: LEASE } } },
      answer: answerOf('The worker still holds its rows.', workerAlive, { cancelled: false }),
      run: async (c, { range }) => {
        const claim = claimOf(c);

        if (range) await queue.renewRange(claim, leaseOf(claim, range));
        return { cancelled: claim.isCancelled };
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.end,
      guard: worker,
      tag: 'Workers',
      id: 'workerEnd',
      summary: 'Finish the job.',
      request: {
        schema: workerEnd,
        examples: { failed: { range: LEASE, status: 'failed', error: 'The encoder has no label POSITIVE.' } },
      },
      answer: noContent('The job is finished.'),
      run: async (c, body) => {
        const claim = claimOf(c);
        const { range, ...end } = body as unknown as WorkerEnding;
        await queue.end(claim, end, range ? leaseOf(claim, range) : undefined);
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.findAnswers,
      guard: worker,
      tag: 'Workers',
      id: 'workerFindAnswers',
      summary: "Get cached responses from the experiment's earlier requests.",
      request: { schema: workerAnswerKeys, examples: { keys: { keys: [ANSWER_KEY] } } },
      answer: answerOf('The answers.', workerFoundAnswers, { answers: [ANSWER] }),
      run: async (c, { keys }) => {
        const { job } = claimOf(c);

        return { answers: await answers.find(job, keys) };
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.answers,
      guard: worker,
      tag: 'Workers',
      id: 'workerKeepAnswers',
      summary: "Store responses for the experiment's later requests.",
      request: {
        schema: workerAnswers,
        examples: { answers: { answers: [{ key: ANSWER_KEY, ...ANSWER }] } },
      },
      answer: noContent('The responses are stored.'),
      run: async (c, kept) => {
        const claim = claimOf(c);

        await answers.keep(claim.job, kept.answers);
        await queue.progressed(claim);
      },
    }),
    route({
      method: 'post',
      path: WORKER_PATHS.pause,
      guard: worker,
      tag: 'Workers',
      id: 'workerPause',
      summary: 'Return the job to the queue for a few seconds.',
      request: {
        schema: workerPause,
        examples: { budget: { reason: "Paused: User 'ann' has exceeded budget limit.", seconds: 30 } },
      },
      answer: noContent('The job is queued.'),
      run: async (c, { reason, seconds }) => {
        const claim = claimOf(c);

        await queue.pause(claim, reason, seconds);
      },
    }),
    route({
      method: 'get',
      path: `${WORKER_PATHS.secrets}/:name`,
      guard: worker,
      tag: 'Workers',
      id: 'workerSecret',
      summary: 'Get a secret that the job uses.',
      parameters: [{ name: 'name', description: 'Name of the secret.', example: 'openai' }],
      answer: answerOf('The value of the secret.', workerSecret, { value: 'sk-…' }),
      errors: [403, 404],
      run: async (c) => {
        const { job } = claimOf(c);
        const name = c.req.param('name');
        if (!secretsOfJob(job.spec).includes(name)) {
          throw new AppError('ForbiddenError', `This job does not use the secret '${name}'.`);
        }
        return { value: await secrets.reveal(job.owner, name) };
      },
    }),
  ];
}

const leaseOf = ({ worker }: { readonly worker: string }, lease: WorkerLease): RangeLease => ({
  worker,
  firstRow: lease.first_row,
  epoch: lease.epoch,
});

const rangeView = (range: LeasedRange): WorkerRange => ({
  first_row: range.firstRow,
  epoch: range.epoch,
  row_count: range.rowCount,
  next_row: range.nextRow,
  retry_row: range.retryRow,
  checkpoint: range.checkpoint as unknown as WorkerCheckpoint | null,
  checkpoints: range.checkpoints as unknown as readonly WorkerCheckpoint[] | null,
});

/** The range of requested rows, from the first row to the row after the last one. */
function rowsIn(c: Context, { totalRows }: Pick<Job, 'totalRows'>): { from: number; to: number } {
  const numberIn = (name: string, missing: number): number => {
    const text = c.req.query(name);
    if (text === undefined) return missing;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw inputError(`\`${name}\` must be a row index of at least 0, not "${text}".`);
  };
  return { from: numberIn('from', 0), to: Math.min(numberIn('to', totalRows), totalRows) };
}
