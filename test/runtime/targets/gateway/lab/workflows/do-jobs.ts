import { AppError } from '../../../../../../runtime/contract/errors.ts';
import type { Claim } from '../../../../../../runtime/targets/gateway/lab/jobs/job.ts';
import type { JobServices } from '../../../../../../runtime/targets/gateway/lab/jobs/job-services.ts';
import { openWork } from '../../../../../../runtime/targets/gateway/lab/work/open-work.ts';

/** Does all jobs that wait, one after the other, in this process. */
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
  const token = await tokens.sign({ jobId: job.id, epoch });
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
      let failed = 0;
      for await (const { firstRow, rows } of datasets.rows(job.datasetId)) {
        for (let from = firstRow; from < Math.min(firstRow + rows.length, job.totalRows);) {
          const end = Math.min(from + job.spec.batchSize, firstRow + rows.length, job.totalRows);
          const batch = { firstRow: from, rows: rows.slice(from - firstRow, end - firstRow) };
          const outcome = await work.run(batch, signal);
          failed += outcome.failed;
          if (failed > job.spec.maxErrorRate * job.totalRows) {
            throw new AppError('InputError', `Too many rows failed: ${outcome.firstError}`);
          }
          await queue.commit(claim, from, outcome, work.checkpoint());
          from = end;
        }
      }
      await queue.end(claim, { status: 'succeeded', result: work.result() });
    } finally {
      await work.close();
    }
  } catch (error) {
    await queue.end(claim, { status: 'failed', error: AppError.from(error).message });
  }
}
