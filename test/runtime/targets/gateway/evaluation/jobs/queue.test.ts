import { expect, test } from 'vitest';
import { readStoredRows } from '#gateway/evaluation/datasets/chunks.ts';
import { describeDatabases } from '../../databases.ts';
import { claimed, JOB, leased, openQueues, outcome } from './open-queues.ts';
import { ownerNamed, viewerNamed } from '../../owners.ts';

describeDatabases((database) => {
  const open = () => openQueues(database);

  test('a job is claimed by one worker, written in batches and completed', async () => {
    const { queue, other, store, ended } = await open();
    const { id } = await queue.create(store.db, JOB);
    const claims = await Promise.all([queue.claim(), (await other()).claim(), queue.claim()]);
    expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
    const claim = claimed(claims.find((one) => one !== undefined));
    expect(claim).toMatchObject({
      job: { id, status: 'pending', spec: JOB.spec },
      epoch: 1,
    });
    await queue.divide(claim, 2);
    const [first, second] = [await leased(queue, claim, 'one'), await leased(queue, claim, 'two')];
    expect(first).toMatchObject({ firstRow: 0, rowCount: 2, nextRow: 0, checkpoint: null, epoch: 1 });
    expect(second).toMatchObject({ firstRow: 2, rowCount: 2, checkpoints: null });
    expect(await queue.lease(claim, 'three')).toBeUndefined();
    // Lost responses.
    expect(await leased(queue, claim, 'two')).toEqual({ ...second, epoch: 2 });
    await queue.commit(claim, { ...second, epoch: 2 }, 2, outcome('c', 'd'), { seen: 'cd' });
    expect(await queue.lease(claim, 'two')).toBeUndefined();
    expect(await queue.commit(claim, first, 0, outcome('a', 'b'), { seen: 'ab' })).toBe(2);
    expect(await queue.commit(claim, first, 0, outcome('a', 'b'), { seen: 'ab' })).toBe(2);
    const last = await leased(queue, claim, 'two');
    expect(last).toMatchObject({ rowCount: 0, checkpoints: [{ seen: 'ab' }, { seen: 'cd' }] });
    expect(await queue.get(viewerNamed('ann'), id)).toMatchObject({
      status: 'running',
      doneRows: 4,
      failedRows: 2,
      promptTokens: 20,
      completionTokens: 4,
    });
    const result = { metrics: { accuracy: 1 }, details: {}, parameters: {} };
    const end = { status: 'succeeded', result } as const;
    await expect(queue.end(claim, end, { ...last, epoch: 2 })).rejects.toMatchObject({
      reason: 'range_lost',
    });
    await queue.end(claim, end, last);
    expect(ended).toMatchObject([{ id, status: 'succeeded', result }]);
    expect((await Array.fromAsync(readStoredRows(store.db, 'output'))).flatMap(({ rows }) => rows)).toEqual([
      { predictions: 'a' },
      { predictions: 'b' },
      { predictions: 'c' },
      { predictions: 'd' },
    ]);
    expect(await queue.claim()).toBeUndefined();
  });

  test("rows can be written only at the job's current position, and therefore only once", async () => {
    const { queue, store } = await open();
    await queue.create(store.db, JOB);
    const claim = claimed(await queue.claim());
    const range = await leased(queue, claim);
    await queue.commit(claim, range, 0, outcome('a', 'b'), {});
    for (const row of [0, 3]) {
      await expect(queue.commit(claim, range, row, outcome('x'), {})).rejects.toMatchObject({
        reason: 'wrong_row',
      });
    }
    expect(await queue.get('everyone', claim.job.id)).toMatchObject({ doneRows: 2 });
  });

  test('a retried job keeps its rows and replaces each failed row once', async () => {
    const { queue, store, forget, other } = await open();
    const { id, outputId } = await queue.create(store.db, JOB);
    const first = claimed(await queue.claim());
    await queue.commit(first, await leased(queue, first), 0, outcome('a', 'b'), { seen: 2 });
    await queue.end(first, { status: 'failed', error: 'One row failed.' });
    const retry = { spec: JOB.spec, timeoutSec: 60, compute: 'local', outputId, keyId: null, resumes: true };
    await queue.retry(store.db, await queue.get('everyone', id), retry);
    await expect(queue.retry(store.db, await queue.get('everyone', id), retry)).rejects.toMatchObject({
      code: 'ConflictError',
    });
    const second = claimed(await queue.claim());
    expect(second.job).toMatchObject({ doneRows: 2, failedRows: 1, error: null });
    const old = await leased(queue, second);
    expect(old).toMatchObject({ firstRow: 0, nextRow: 2, retryRow: 0, checkpoint: { seen: 2 } });
    await forget(id);
    const claim = claimed(await (await other()).claim());
    const range = await leased(queue, claim);
    const answer = { ...outcome('c'), failed: 0 };
    const replaced = { from: 0, next: null, numbers: [1], outcome: answer };
    await expect(queue.replace(second, old, replaced, {})).rejects.toMatchObject({ reason: 'lease_lost' });
    await expect(queue.replace(claim, old, replaced, {})).rejects.toMatchObject({ reason: 'range_lost' });
    expect(await queue.replace(claim, range, replaced, { seen: 3 })).toBe(0);
    // Sent again because the response was lost.
    expect(await queue.replace(claim, range, replaced, { seen: 4 })).toBe(0);
    expect(await queue.held(id, claim.epoch)).toMatchObject({
      job: { doneRows: 2, failedRows: 0, promptTokens: 20 },
    });
    expect(await leased(queue, claim, 'two')).toMatchObject({ firstRow: 2, rowCount: 2, checkpoint: null });
    expect((await Array.fromAsync(readStoredRows(store.db, 'output'))).flatMap(({ rows }) => rows)).toEqual([
      { predictions: 'a' },
      { predictions: 'c' },
    ]);
  });

  test('a new worker resumes at the checkpoint, and the previous worker is rejected', async () => {
    const { queue, other, store, forget, ended } = await open();
    const { id } = await queue.create(store.db, JOB);
    const first = claimed(await queue.claim());
    await queue.begin(first);
    const range = await leased(queue, first);
    await queue.commit(first, range, 0, outcome('a'), { seen: 1 });
    const second = await other();
    expect(await second.claim()).toBeUndefined();
    await forget(id);
    const claim = claimed(await second.claim());
    expect(claim).toMatchObject({
      epoch: 2,
      job: { doneRows: 1, status: 'running' },
    });
    const resumed = await leased(second, claim);
    expect(resumed).toMatchObject({ nextRow: 1, checkpoint: { seen: 1 }, epoch: 2 });
    expect(await queue.renew(first)).toBe('lost');
    await expect(queue.commit(first, range, 1, outcome('x'), {})).rejects.toMatchObject({
      reason: 'lease_lost',
    });
    const failed = queue.end(first, { status: 'failed', error: 'late' });
    await expect(failed).rejects.toMatchObject({ reason: 'lease_lost' });
    await queue.release(first);
    expect(await second.renew(claim)).toBe('held');
    await second.commit(claim, resumed, 1, outcome('c'), {});
    await second.end(claim, { status: 'failed', error: 'no' });
    expect(ended).toMatchObject([{ status: 'failed', error: 'no' }]);
  });

  test("a job's time limit restarts with each progress report from its current worker", async () => {
    const { queue, store } = await open();
    const { id } = await queue.create(store.db, { ...JOB, timeoutSec: 60 });
    const claim = claimed(await queue.claim());
    await queue.begin(claim);
    const expire = (): Promise<unknown> =>
      store.db.updateTable('gateway_jobs').set({ deadline_at: 1 }).where('id', '=', id).execute();
    await expire();
    expect(await queue.renew(claim)).toBe('late');
    await queue.progressed(claim);
    expect(await queue.renew(claim)).toBe('held');
    await expire();
    await queue.progressed({ ...claim, epoch: 7 });
    expect(await queue.renew(claim)).toBe('late');
  });

  test('a paused job keeps its rows, shows its reason, and resumes later without a time limit', async () => {
    const { queue, store } = await open();
    const { id } = await queue.create(store.db, { ...JOB, timeoutSec: 60 });
    const claim = claimed(await queue.claim());
    await queue.begin(claim);
    const range = await leased(queue, claim);
    await queue.commit(claim, range, 0, outcome('a', 'b'), {});
    await queue.pause(claim, 'Paused: no money \0', 3600);
    const paused = { status: 'created', queuedReason: 'Paused: no money \uFFFD', doneRows: 2, endedAt: null };
    expect(await queue.get('everyone', id)).toMatchObject(paused);
    await expect(queue.pause(claim, 'again', 1)).rejects.toMatchObject({ reason: 'lease_lost' });
    await expect(queue.commit(claim, range, 2, outcome('c'), {})).rejects.toMatchObject({
      reason: 'lease_lost',
    });
    expect(await queue.claim()).toBeUndefined();
    // A starting job on the same compute does not hide the reason.
    const other = await queue.create(store.db, JOB);
    const started = claimed(await queue.claim());
    expect(started.job.id).toBe(other.id);
    await queue.begin(started);
    expect(await queue.get('everyone', id)).toMatchObject(paused);
    await store.db.updateTable('gateway_jobs').set({ resume_at: 1 }).where('id', '=', id).execute();
    const next = claimed(await queue.claim());
    expect(await queue.renew(next)).toBe('held');
    await queue.begin(next);
    await queue.commit(next, await leased(queue, next), 2, outcome('c', 'd'), {});
    expect(await queue.get('everyone', id)).toMatchObject({
      status: 'running',
      queuedReason: null,
      doneRows: 4,
    });
  });

  test('a released job can be claimed again', async () => {
    const { queue, store } = await open();
    await queue.create(store.db, JOB);
    await queue.release(claimed(await queue.claim()));
    expect(await queue.claim()).toMatchObject({ epoch: 2 });
  });

  test('canceling stops a queued job immediately and notifies a running worker', async () => {
    const { queue, store, ended, clock } = await open();
    const waiting = await queue.create(store.db, JOB);
    await queue.cancel(waiting.id);
    expect(await queue.get('everyone', waiting.id)).toMatchObject({
      status: 'stopped',
      endedAt: Math.floor(clock.now()),
    });
    expect(await queue.stopped(waiting.id, 0)).toBe(true);
    const { id } = await queue.create(store.db, JOB);
    const claim = claimed(await queue.claim());
    await queue.cancel(id);
    expect(await queue.renew(claim)).toBe('cancelled');
    expect(await queue.stopped(id, 0)).toBe(false);
    await queue.release(claim);
    const again = claimed(await queue.claim());
    expect(again.isCancelled).toBe(true);
    await queue.end(again, { status: 'stopped', error: 'Cancelled.' });
    await queue.cancel(id);
    expect(ended.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect(await queue.claim()).toBeUndefined();
  });

  test('jobs are listed newest first, and only to their owners', async () => {
    const { queue, store, clock } = await open();
    const ids: string[] = [];
    for (const owner of ['ann', 'bob', 'ann'].map(ownerNamed)) {
      clock.advance(1000);
      ids.push((await queue.create(store.db, { ...JOB, owner })).id);
    }
    const page = { skip: 0, limit: 10 };
    const seen = async (...given: Parameters<typeof queue.list>) =>
      (await queue.list(...given)).items.map(({ id }) => ids.indexOf(id));
    expect(await seen('everyone', {}, page)).toEqual([2, 1, 0]);
    expect(await seen(viewerNamed('ann'), {}, { skip: 1, limit: 1 })).toEqual([0]);
    expect(await seen('everyone', { types: ['evaluation'] }, page)).toEqual([]);
    expect(await seen('everyone', { types: ['inference'], workflowId: 'workflow' }, page)).toEqual([2, 1, 0]);
    await expect(queue.get(viewerNamed('ann'), ids[1] ?? '')).rejects.toMatchObject({
      code: 'NotFoundError',
    });
    await expect(queue.get('everyone', 'a\0')).rejects.toMatchObject({ code: 'NotFoundError' });
  });

  test('a job log keeps its order', async () => {
    const { queue, store } = await open();
    const { id } = await queue.create(store.db, JOB);
    for (const text of ['one', 'two', 'three\0']) await queue.log(id, 'info', text);
    const lines = await queue.logs(id);
    expect(lines.map(({ text }) => text)).toEqual(['one', 'two', 'three\uFFFD']);
    expect(await queue.logs(id, lines[1]?.id)).toEqual(lines.slice(2));
  });
});
