import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Claim } from '#gateway/evaluation/jobs/job.ts';
import type { JobServices } from '#gateway/evaluation/jobs/job-services.ts';
import { mergeCheckpoints } from '#gateway/evaluation/jobs/worker/run-worker.ts';
import { openWork } from '#gateway/evaluation/work/open-work.ts';

/** Runs all queued jobs, one after the other, in this process. */
export async function doJobs(services: JobServices, gatewayUrl = 'http://127.0.0.1'): Promise<void> {
  for (;;) {
    const claim = await services.queue.claim();
    if (!claim) return;
    await doJob(services, claim, gatewayUrl);
  }
}

async function doJob(services: JobServices, claim: Claim, url: string): Promise<void> {
  const { queue, datasets, secrets, tokens, trusts, access } = services;
  const { job, epoch } = claim;
  const signal = new AbortController().signal;
  const worker = randomUUID();
  const token = await tokens.sign({ jobId: job.id, epoch, worker });
  try {
    await queue.begin(claim);
    await access.openAccount(claim);
    await queue.log(job.id, 'info', `doing ${job.name}`);
    const tools = {
      gateway: { url, token },
      secret: (name: string) => secrets.reveal(job.owner, name),
      trusted: trusts(job.owner),
      log: () => undefined,
    };
    const work = await openWork(job.spec, tools, null);
    try {
      for (;;) {
        const range = await queue.lease(claim, worker);
        if (!range) throw new Error('Another worker has the rows.');
        if (range.checkpoints) {
          work.resume(mergeCheckpoints(job.spec, range.checkpoints));
          await queue.end(claim, { status: 'succeeded', result: work.result() }, range);
          return;
        }
        work.resume(null);
        const end = range.firstRow + range.rowCount;
        const rows = (await Array.fromAsync(datasets.rows(job.datasetId, range.firstRow))).flatMap(
          (chunk) => chunk.rows,
        );
        for (let from = range.firstRow; from < end; from += job.spec.batchSize) {
          const at = from - range.firstRow;
          const batch = {
            firstRow: from,
            rows: rows.slice(at, Math.min(at + job.spec.batchSize, range.rowCount)),
          };
          const outcome = await work.run(batch, signal);
          const failed = await queue.commit(claim, range, from, outcome, work.checkpoint());
          if (failed > job.spec.maxErrorRate * job.totalRows) {
            throw new AppError('InputError', `Too many rows failed: ${outcome.firstError}`);
          }
        }
      }
    } finally {
      await work.close();
    }
  } catch (error) {
    await queue.end(claim, { status: 'failed', error: AppError.from(error).message });
  }
}
