import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { deleteWorkflow } from '#gateway/evaluation/workflows/delete-workflow.ts';
import { describeDatabases } from '../../databases.ts';
import { startFixture } from '../../fixture-provider.ts';
import { gatewayOn } from '../../api/open-gateway.ts';
import { LABELLED, requestsTo } from './workflow-requests.ts';

const encoder = await startFixture('encoder');
const ROUNDS = 25;
const OUTCOME = { failed: 0, usage: { promptTokens: 0, completionTokens: 0 }, firstError: undefined };
const ROWS = [1, 2, 3, 4].map((number) => ({ examples: `${number}`, ground_truth: 'A', predictions: 'A' }));
const RESULT = { metrics: {}, details: {}, parameters: {} };
const TABLES = [
  'gateway_workflows',
  'gateway_jobs',
  'gateway_job_ranges',
  'gateway_job_logs',
  'gateway_chunks',
  'gateway_datasets',
] as const;

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    const { db } = state.store;
    const gateway = gatewayOn(state, clock);
    const { upload, experiment, workflow } = requestsTo(gateway);
    const dataset = (await upload(LABELLED)).body.id as string;
    const counts = async () =>
      await Promise.all(
        TABLES.map(async (table) => {
          const { count } = await db
            .selectFrom(table)
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow();
          return [table, count] as const;
        }),
      );
    return { db, ...gateway, dataset, experiment, workflow, counts };
  };

  test('deleting a workflow while a batch is being written or a job finishes leaves no data behind', async () => {
    const { db, context, dataset, experiment, workflow, counts } = await start();
    const { queue } = context.jobs;
    const id = await experiment(dataset);
    const before = await counts();
    const refused: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await workflow(id, { provider: 'encoder', base_url: encoder.url });
      const workflowId = made.body.id as string;
      const claim = await queue.claim();
      if (!claim) throw new Error('There is no job.');
      const range = await queue.lease(claim, 'worker');
      if (!range) throw new Error('There are no rows.');
      const rows = ROWS.slice(0, range.rowCount);
      const written = queue.commit(claim, range, 0, { ...OUTCOME, rows }, {});
      if (round % 2 === 0) await written;
      const ended = await Promise.allSettled([
        written,
        queue.end(claim, { status: 'succeeded', result: RESULT }),
        db.transaction().execute((trx) => deleteWorkflow(trx, workflowId)),
        queue.log(claim.job.id, 'info', 'still here'),
        queue.cancel(claim.job.id),
      ]);
      refused.push(...ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])));
      expect(await counts()).toEqual(before);
    }
    for (const error of refused) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'ConflictError', reason: 'lease_lost' });
    }
  });

  test('if a dataset is deleted while an experiment is created from it, one of the two requests is rejected', async () => {
    const { ask, upload } = await (async () => {
      const started = await start();
      return { ...started, ...requestsTo(started) };
    })();
    for (let round = 0; round < ROUNDS; round += 1) {
      const dataset = (await upload(LABELLED)).body.id as string;
      const task_definition = { task: 'text-classification' };
      const [made, deleted] = await Promise.all([
        ask('POST', '/api/v1/experiments/', { name: `x${round}`, dataset, task_definition }),
        ask('DELETE', `/api/v1/datasets/${dataset}`),
      ]);
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });
});
