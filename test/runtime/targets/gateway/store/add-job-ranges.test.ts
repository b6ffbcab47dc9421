import { type Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createJobQueue } from '#gateway/evaluation/jobs/queue.ts';
import { addJobRanges } from '#gateway/store/add-job-ranges.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { MIGRATIONS } from '#gateway/store/migrations.ts';
import { openDatabase } from '#gateway/store/open-store.ts';
import { describeDatabases } from '../databases.ts';
import { createTestClock } from '../test-clock.ts';

const SPEC = (type: string) => JSON.stringify({ type, batchSize: 10, maxErrorRate: 0 });

describeDatabases((database) => {
  test('jobs from before continue where they were: inferences, evaluations and retries', async () => {
    const store = openDatabase(parseDatabaseUrl(await database.create()));
    onTestFinished(() => store.close());
    const { db } = store;
    const untyped = db as unknown as Kysely<unknown>;
    for (const step of MIGRATIONS.slice(0, MIGRATIONS.indexOf(addJobRanges))) await step(untyped);
    const insert = async (id: string, type: string, done: number, retryRow: number | null): Promise<void> => {
      await sql`insert into gateway_jobs (id, type, name, description, status, spec, dataset_id, total_rows, done_rows,
        failed_rows, checkpoint, cancelled, lease_epoch, timeout_sec, compute, prompt_tokens, completion_tokens, cost_nano,
        created_at, retry_row) values (${id}, ${type}, 'job', '', 'running', ${SPEC(type)}, 'dataset', 100, ${done}, 2,
        '{"work":{},"first_error":null}', 0, 3, 60, ${id}, 0, 0, 0, 1, ${retryRow})`.execute(db);
    };
    await insert('new', 'inference', 0, null);
    await insert('partial', 'inference', 40, null);
    await insert('retried', 'inference', 100, 20);
    await insert('evaluation', 'evaluation', 40, null);
    await addJobRanges(untyped);

    const queue = createJobQueue(store, { clock: createTestClock(), onEnded: () => Promise.resolve() });
    const next = async (id: string) => {
      const claim = await queue.claim([id]);
      return claim && (await queue.lease(claim, 'worker'));
    };
    const checkpoint = { work: {}, first_error: null };
    expect(await next('new')).toMatchObject({ firstRow: 0, nextRow: 0, checkpoint: null });
    // Its first 40 rows are a range that has ended.
    expect(await next('partial')).toMatchObject({ firstRow: 40, nextRow: 40, checkpoint: null });
    expect(await next('retried')).toMatchObject({ firstRow: 0, nextRow: 100, retryRow: 20, checkpoint });
    expect(await next('evaluation')).toMatchObject({ firstRow: 0, rowCount: 100, nextRow: 40, checkpoint });
  });
});
