import { AppError, inputError } from '../../../../contract/errors.ts';
import { createBodyReader } from '../../../../serve/http/body.ts';
import type { GatewayContext } from '../../context.ts';
import { LEASE_MS } from '../../lab/jobs/claims.ts';
import { commitOnce, replaceOnce } from '../../lab/jobs/worker/commit-once.ts';
import { failedRowsFrom } from '../../lab/jobs/worker/failed-rows.ts';
import { rowsFrom } from '../../lab/jobs/worker/rows-from.ts';
import { secretNames } from '../../lab/jobs/worker/secret-names.ts';
import {
  WORKER_PATHS,
  type WorkerBatch,
  type WorkerCheckpoint,
  type WorkerEnd,
  type WorkerJob,
  type WorkerReplacement,
} from '../../lab/jobs/worker/protocol.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import {
  workerAnswerKeys,
  workerAnswers,
  workerBatch,
  workerEnd,
  workerLines,
  workerPause,
  workerReplacement,
} from './schemas.ts';
import { WORKER_OPERATIONS } from './operations.ts';

/** Maximum size of a batch, which can contain a few rows with fields of the maximum length of a dataset. */
const MAX_BATCH_BYTES = 256 * 1024 * 1024;

/** `/api/v1/worker`: endpoints for workers. The token of a worker gives access to its own job only. */
export function workerRoutes(
  { jobs, answers }: Pick<GatewayContext, 'jobs' | 'answers'>,
  { server }: Pick<GatewayAppOptions, 'server'>,
): GatewayRoutes {
  const { queue, datasets, secrets, access, trusts } = jobs;
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
    const { job, checkpoint } = claim;
    return c.json({
      id: job.id,
      spec: job.spec,
      total_rows: job.totalRows,
      done_rows: job.doneRows,
      failed_rows: job.failedRows,
      retry_row: job.retryRow,
      checkpoint: checkpoint as unknown as WorkerCheckpoint | null,
      trusted: trusts(job.owner),
      shares_answers: answers.isShared(job),
      lease_ms: LEASE_MS,
    } satisfies WorkerJob);
  });
  routes.get(WORKER_PATHS.rows, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    const from = rowNumber(c.req.query('from'));
    const rows = await rowsFrom(datasets.rows(job.datasetId, from), job.totalRows - from);
    return c.json({ first_row: from, rows });
  });
  routes.post(WORKER_PATHS.batches, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    // The type of the schema is the type of the protocol, except for parts that are any JSON value.
    await commitOnce(queue, claim, (await readBody(c, workerBatch)) as unknown as WorkerBatch);
    await queue.progressed(claim);
    return c.body(null, 204);
  });
  routes.get(WORKER_PATHS.failedRows, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    return c.json(await failedRowsFrom(job, datasets, rowNumber(c.req.query('from'))));
  });
  routes.post(WORKER_PATHS.failedRows, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    await replaceOnce(queue, claim, (await readBody(c, workerReplacement)) as unknown as WorkerReplacement);
    await queue.progressed(claim);
    return c.body(null, 204);
  });
  routes.post(WORKER_PATHS.logs, async (c) => {
    const { job } = await access.claim(c.req.raw.headers);
    const { lines } = await readBody(c, workerLines);
    for (const { level, text } of lines) await queue.log(job.id, level, text);
    return c.body(null, 204);
  });
  routes.get(WORKER_PATHS.alive, async (c) => {
    const { isCancelled } = await access.claim(c.req.raw.headers);
    return c.json({ cancelled: isCancelled });
  });
  routes.post(WORKER_PATHS.end, async (c) => {
    const claim = await access.claim(c.req.raw.headers);
    await queue.end(claim, (await readBody(c, workerEnd)) as unknown as WorkerEnd);
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

function rowNumber(from = '0'): number {
  if (/^\d{1,15}$/.test(from)) return Number(from);
  throw inputError(`\`from\` must be the index of a row, from 0, not "${from}".`);
}
