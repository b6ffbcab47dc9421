import { expect, test } from 'vitest';
import type { Claim, LeasedRange } from '#gateway/evaluation/jobs/job.ts';
import { possibleRanges, rangeSize } from '#gateway/evaluation/jobs/ranges/range-size.ts';
import { describeDatabases } from '../../databases.ts';
import { inference, openJobs, type TestJobs } from './job-gateway.ts';

const outcome = (...texts: string[]) => ({
  rows: texts.map((predictions) => ({ predictions })),
  failed: 0,
  usage: { promptTokens: 0, completionTokens: 0 },
  firstError: undefined,
});

test('ranges of an inference job are whole batches, shrink toward the end and are limited in size, and an evaluation job has a single range', () => {
  const sizes = (rows: number, workers: number, batchSize = 10): number[] => {
    const found: number[] = [];
    for (let left = rows; left > 0; left -= found.at(-1) ?? left) {
      found.push(rangeSize({ spec: { type: 'inference', batchSize }, rows: left, workers }));
    }
    return found;
  };
  expect(sizes(100, 2)).toEqual([20, 10, 10, 10, 10, 10, 10, 10, 10]);
  expect(sizes(95, 8)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 5]);
  expect(sizes(100_000, 1)[0]).toBe(1000);
  expect(sizes(5, 0, 1000)).toEqual([5]);
  expect(rangeSize({ spec: { type: 'evaluation', batchSize: 1 }, rows: 5000, workers: 8 })).toBe(5000);
  expect(possibleRanges({ spec: { type: 'evaluation', batchSize: 1 }, rows: 5000 })).toBe(1);
  expect(possibleRanges({ spec: { type: 'inference', batchSize: 10 }, rows: 95 })).toBe(10);
});

describeDatabases((database) => {
  const leased = async ({ queue }: TestJobs, claim: Claim, worker: string): Promise<LeasedRange> => {
    const range = await queue.lease(claim, worker);
    if (!range) throw new Error('There was nothing to lease.');
    return range;
  };

  test('the rows of a worker that stops responding or exits are leased to another worker, and the previous worker is rejected', async () => {
    const jobs = await openJobs(database, await database.create());
    const { queue, store } = jobs;
    const created = await jobs.create(9, { spec: inference('http://127.0.0.1:1', { batchSize: 2 }) });
    const { id } = created;
    const claim = await queue.claim();
    if (!claim) throw new Error('There was nothing to claim.');
    await queue.divide(claim, 2);
    const [first, second] = [await leased(jobs, claim, 'one'), await leased(jobs, claim, 'two')];
    await queue.commit(claim, first, 0, outcome('a'), { seen: 1 });
    await queue.commit(claim, second, 2, outcome('c', 'd'), {});
    const ranges = store.db.updateTable('gateway_job_ranges').where('job_id', '=', id);
    await ranges.set({ lease_until: 1 }).where('first_row', '=', 0).execute();
    const again = await leased(jobs, claim, 'two');
    expect(again).toMatchObject({ firstRow: 0, nextRow: 1, checkpoint: { seen: 1 }, epoch: 2 });
    for (const late of [
      () => queue.commit(claim, first, 1, outcome('x'), {}),
      () => queue.renewRange(claim, first),
      () => queue.end(claim, { status: 'failed', error: 'late' }, first),
    ]) {
      await expect(late()).rejects.toMatchObject({ reason: 'range_lost' });
    }
    await queue.renewRange(claim, again);
    // The rows written so far, without gaps.
    expect((await jobs.output(created)).map(({ predictions }) => predictions)).toEqual(['a', 'c', 'd']);
    expect(await queue.workerEnded(claim, 'two', true)).toEqual({ times: 1, row: 1 });
    expect(await queue.workerEnded(claim, 'two', true)).toEqual({ times: 1, row: null });
    expect(await leased(jobs, claim, 'three')).toMatchObject({ firstRow: 0, epoch: 3 });
    // The unfinished range, and three batches of rows that are in no range.
    expect(await queue.possibleWorkers(claim)).toBe(4);
  });
});
