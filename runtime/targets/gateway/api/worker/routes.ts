import type { Context } from 'hono';
import { AppError, inputError } from '#contract/errors.ts';
import { createBodyReader } from '#serve/http/body.ts';
import type { GatewayContext } from '../../context.ts';
import { LEASE_MS } from '../../evaluation/jobs/lease.ts';
import type { Job, LeasedRange, RangeLease } from '../../evaluation/jobs/job.ts';
import { failedRowsFrom } from '../../evaluation/jobs/worker/failed-rows.ts';
import { outcomeOf } from '../../evaluation/jobs/worker/outcome-of.ts';
import { rowsFrom } from '../../evaluation/jobs/worker/rows-from.ts';
import { secretNames } from '../../evaluation/jobs/worker/secret-names.ts';
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
} from '../../evaluation/jobs/worker/protocol.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import {
  workerAnswerKeys,
  workerAnswers,
  workerBatch,
  workerEnd,
  workerHeartbeat,
  workerLeaseRequest,
  workerLines,
  workerPause,
  workerReplacement,
} from './schemas.ts';
import { fileAnswer } from './file-answer.ts';
import { WORKER_OPERATIONS } from './operations.ts';

/** Maximum size of a batch, which can contain a few rows with fields of the maximum length of a dataset. */
const MAX_BATCH_BYTES = 256 * 1024 * 1024;

/** `/api/v1/worker`: endpoints for workers. The token of a worker gives access to its own job only. */
export function workerRoutes(
  { jobs, answers }: Pick<GatewayContext, 'jobs' | 'answers'>,
  { server }: Pick<GatewayAppOptions, 'server'>,
): GatewayRoutes {
  const { queue, datasets, secrets, access, files, trusts } = jobs;
  const readBody = createBodyReader({
    maxBodyBytes: MAX_BATCH_BYTES,
    timeoutMs: server.bodyTimeoutMs,
    emptyMessage: 'The request has no body.',
    tooLargeMessage: (limit) => `The batch is larger than ${limit} bytes. Reduce \`batch_size\`.`,
  });
  const routes = newRoutes();

  routes.get(WORKER_PATHS.job, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    await access.openAccount(claim);
    const { job } = claim;
    return c.json({
      id: job.id,
      spec: job.spec,
      total_rows: job.totalRows,
      trusted: trusts(job.owner),
      shares_answers: answers.isShared(job),
      lease_ms: LEASE_MS,
    } satisfies WorkerJob);
  });
  routes.get(WORKER_PATHS.files, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    return c.json({ files: await files.list(job) });
  });
  routes.get(`${WORKER_PATHS.files}/:sha256`, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    const file = await files.open(claim.job, c.req.param('sha256'));
    // The time limit of a job does not end a download that continues.
    await queue.progressed(claim);
    return await fileAnswer(c, file);
  });
  routes.post(WORKER_PATHS.ranges, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    await readBody(c, workerLeaseRequest);
    const range = await queue.lease(claim, claim.worker);
    return c.json({ range: range ? rangeView(range) : null } satisfies WorkerLeased);
  });
  routes.get(WORKER_PATHS.rows, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    const { from, to } = rowsIn(c, job);
    const rows = await rowsFrom(datasets.rows(job.datasetId, from), to - from);
    return c.json({ first_row: from, rows });
  });
  routes.post(WORKER_PATHS.batches, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    // The type of the schema is the type of the protocol, except for parts that are any JSON value.
    const batch = (await readBody(c, workerBatch)) as unknown as WorkerBatch;
    const { first_row: firstRow, checkpoint } = batch;
    const failed = await queue.commit(
      claim,
      leaseOf(claim, batch.range),
      firstRow,
      outcomeOf(batch),
      checkpoint,
    );
    await queue.progressed(claim);
    return c.json({ failed_rows: failed } satisfies WorkerWritten);
  });
  routes.get(WORKER_PATHS.failedRows, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    return c.json(await failedRowsFrom(job, datasets, rowsIn(c, job)));
  });
  routes.post(WORKER_PATHS.failedRows, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    const batch = (await readBody(c, workerReplacement)) as unknown as WorkerReplacement;
    const { from, next, numbers, checkpoint } = batch;
    const replaced = { from, next, numbers, outcome: outcomeOf(batch) };
    const failed = await queue.replace(claim, leaseOf(claim, batch.range), replaced, checkpoint);
    await queue.progressed(claim);
    return c.json({ failed_rows: failed } satisfies WorkerWritten);
  });
  routes.post(WORKER_PATHS.logs, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    const { lines } = await readBody(c, workerLines);
    for (const { level, text } of lines) await queue.log(job.id, level, text);
    return c.body(null, 204);
  });
  routes.post(WORKER_PATHS.alive, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    const { range } = await readBody(c, workerHeartbeat);
    if (range) await queue.renewRange(claim, leaseOf(claim, range));
    return c.json({ cancelled: claim.isCancelled });
  });
  routes.post(WORKER_PATHS.end, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    const { range, ...end } = (await readBody(c, workerEnd)) as unknown as WorkerEnding;
    await queue.end(claim, end, range ? leaseOf(claim, range) : undefined);
    return c.body(null, 204);
  });
  routes.post(WORKER_PATHS.findAnswers, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    const { keys } = await readBody(c, workerAnswerKeys);
    return c.json({ answers: await answers.find(job, keys) });
  });
  routes.post(WORKER_PATHS.answers, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    const kept = await readBody(c, workerAnswers);
    await answers.keep(claim.job, kept.answers);
    await queue.progressed(claim);
    return c.body(null, 204);
  });
  routes.post(WORKER_PATHS.pause, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    const { reason, seconds } = await readBody(c, workerPause);
    await queue.pause(claim, reason, seconds);
    return c.body(null, 204);
  });
  routes.get(`${WORKER_PATHS.secrets}/:name`, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    const name = c.req.param('name');
    if (!secretNames(job.spec).includes(name)) {
      throw new AppError('ForbiddenError', `This job does not use the secret '${name}'.`);
    }
    return c.json({ value: await secrets.reveal(job.owner, name) });
  });

  return { routes, operations: WORKER_OPERATIONS };
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

/** The rows that a request names, from its first row to the row after its last one. */
function rowsIn(c: Context, { totalRows }: Pick<Job, 'totalRows'>): { from: number; to: number } {
  const numberIn = (name: string, missing: number): number => {
    const text = c.req.query(name);
    if (text === undefined) return missing;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw inputError(`\`${name}\` must be the index of a row, from 0, not "${text}".`);
  };
  return { from: numberIn('from', 0), to: Math.min(numberIn('to', totalRows), totalRows) };
}
