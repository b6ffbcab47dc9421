import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { LeasedRange } from '#gateway/evaluation/jobs/job.ts';
import { jobPause } from '#gateway/evaluation/work/job-pause.ts';
import { describeDatabases } from '../../databases.ts';
import { openWorkerJob, outcomeOf, useWorkerJobs } from './worker-job.ts';

await useWorkerJobs();

describeDatabases((database) => {
  const openJob = (
    ...[rows, more, owner]: [number, Parameters<typeof openWorkerJob>[2]?, (string | null)?]
  ) => openWorkerJob(database, rows, more, owner);

  test('a worker processes the remaining rows, reports the result, and resumes at a checkpoint', async () => {
    const { gateway, claim, worker, run, job, output } = await openJob(7);
    const before = outcomeOf({ firstRow: 0, rows: [{ examples: 'text 0' }, { examples: 'text 1' }] });
    const { queue } = gateway.context.jobs;
    const range = (await queue.lease(claim, worker)) as LeasedRange;
    await queue.commit(claim, range, 0, before, { work: {}, first_error: null });
    const batches: number[] = [];
    await run(
      {
        run: async (batch) => {
          batches.push(batch.firstRow, batch.rows.length);
          return outcomeOf(batch);
        },
      },
      ({ log }) => log('info', 'hello'),
    );
    expect(batches).toEqual([2, 2, 4, 2, 6, 1]);
    expect((await output()).map(({ examples }) => examples)).toEqual(
      Array.from({ length: 7 }, (_, at) => `text ${at}`),
    );
    expect(await job()).toMatchObject({ status: 'succeeded', doneRows: 7, result: { metrics: { one: 1 } } });
    const { text } = (await gateway.context.jobs.queue.logs(claim.job.id))[0] ?? {};
    expect(text).toBe('hello');
  });

  test('a batch is computed only after the previous batch is written', async () => {
    const { run, job } = await openJob(20);
    const unwritten: number[] = [];
    await run({
      run: async (batch) => {
        unwritten.push(batch.firstRow - (await job()).doneRows);
        return outcomeOf(batch);
      },
    });
    expect(unwritten).toEqual(Array.from({ length: 10 }, () => 0));
  });

  test('a job with too many failed rows fails with the first error', async () => {
    const { run, job } = await openJob(10, { maxErrorRate: 0.2 });
    await run({ run: (batch) => Promise.resolve(outcomeOf(batch, 1)) });
    expect(await job()).toMatchObject({
      status: 'failed',
      doneRows: 6,
      error: '3 of 10 rows failed, which exceeds max_error_rate 0.2. First error: no answer',
    });
  });

  test('the job fails on an error in its input, and any other error stops only the worker', async () => {
    const refused = await openJob(4);
    await refused.run({
      run: () => Promise.reject(new AppError('InputError', 'The encoder has no label X.')),
    });
    expect(await refused.job()).toMatchObject({ status: 'failed', error: 'The encoder has no label X.' });
    const broken = await openJob(4);
    let closed = false;
    const running = broken.run({
      run: () => Promise.reject(new TypeError('a bug')),
      close: async () => void (closed = true),
    });
    await expect(running).rejects.toThrow('a bug');
    expect([closed, (await broken.job()).endedAt]).toEqual([true, null]);
  });

  test('an exhausted budget pauses the job with a reason and keeps existing responses', async () => {
    const { claim, gateway, run, job, output } = await openJob(6);
    await run({
      run: async (batch) => {
        if (batch.firstRow === 4) throw jobPause('The budget is spent.', undefined, undefined);
        return outcomeOf(batch);
      },
    });
    const reason = 'Paused: The budget is spent.';
    expect(await job()).toMatchObject({ status: 'created', doneRows: 4, queuedReason: reason, error: null });
    expect(await output()).toHaveLength(4);
    const lines = await gateway.context.jobs.queue.logs(claim.job.id);
    expect(lines.map(({ text }) => text)).toEqual([`${reason} Next attempt in 30 seconds.`]);
  });

  test('a worker that has lost its job stops and does not write any more rows', async () => {
    const { gateway, claim, run, output } = await openJob(8);
    const running = run({
      run: async (batch) => {
        if (batch.firstRow === 4) await gateway.context.jobs.queue.release(claim);
        return outcomeOf(batch);
      },
    });
    await expect(running).rejects.toMatchObject({ reason: 'lease_lost' });
    expect((await output()).length).toBeLessThanOrEqual(4);
  });

  test('a worker that has lost its rows leases other rows, and exits when none are left', async () => {
    const { gateway, claim, db, run, job } = await openJob(8);
    const { queue } = gateway.context.jobs;
    let given: LeasedRange | undefined;
    const resumed: unknown[] = [];
    await run({
      resume: (from) => void resumed.push(from),
      run: async (batch) => {
        if (batch.firstRow === 0) {
          // Without an owner, because an expired lease can be renewed before it is reassigned.
          await db.updateTable('gateway_job_ranges').set({ lease_owner: null, lease_until: 1 }).execute();
          given = await queue.lease(claim, 'other');
        }
        return outcomeOf(batch);
      },
    });
    expect(given).toMatchObject({ firstRow: 0, nextRow: 0 });
    // Three more ranges of two rows.
    expect(resumed).toEqual([null, null, null]);
    expect(await job()).toMatchObject({ status: 'running', doneRows: 6 });
    const texts = (await queue.logs(claim.job.id)).map(({ text }) => text);
    expect(texts).toEqual([expect.stringContaining('starting at row 0 were assigned to another worker')]);
  });

  test('a stopped worker closes its task', async () => {
    const { run, stop, job } = await openJob(4);
    const closed = Promise.withResolvers<void>();
    const running = run({
      run: async (_batch, signal) => {
        stop.abort();
        while (!signal.aborted) await turn();
        throw signal.reason;
      },
      close: async () => closed.resolve(),
    });
    await running;
    await closed.promise;
    expect((await job()).endedAt).toBeNull();
  });

  test("a worker token is accepted only for its own job and that job's secrets, and only during the lease", async () => {
    const backend = { kind: 'encoder-url', baseUrl: 'http://127.0.0.1:1', secretName: 'mine' } as const;
    const { gateway, claim, asWorker, token } = await openJob(4, { backend });
    const { jobs } = gateway.context;
    for (const name of ['mine', 'other']) await jobs.secrets.set(null, name, `value of ${name}`, '');
    expect((await asWorker('GET', '/job')).body).toMatchObject({
      id: claim.job.id,
      trusted: true,
    });
    expect((await asWorker('GET', '/secrets/mine')).body).toEqual({ value: 'value of mine' });
    expect((await asWorker('GET', '/secrets/other')).status).toBe(403);
    const forged = token.replace(/\.\d+\./, '.2.');
    expect((await asWorker('GET', '/job', undefined, forged)).status).toBe(401);
    expect((await asWorker('GET', '/job', undefined, 'gw-nothing')).status).toBe(401);
    expect(
      (await gateway.request('/v1/models', { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
    const { body: leased } = await asWorker('POST', '/ranges', {});
    expect(leased).toMatchObject({ range: { first_row: 0, epoch: 1, row_count: 2 } });
    const range = { first_row: 0, epoch: 1 };
    const batch = {
      range,
      first_row: 0,
      rows: [{ a: 1 }],
      failed: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      checkpoint: { work: null, first_error: null },
    };
    // Sent again because the response was lost.
    for (const _ of [1, 2])
      expect((await asWorker('POST', '/batches', batch)).body).toEqual({ failed_rows: 0 });
    expect((await asWorker('POST', '/batches', { ...batch, first_row: 3 })).status).toBe(409);
    expect((await asWorker('POST', '/alive', { range })).body).toEqual({ cancelled: false });
    expect((await asWorker('POST', '/alive', { range: { ...range, epoch: 2 } })).body).toMatchObject({
      error: { code: 'range_lost' },
    });
    await jobs.queue.release(claim);
    expect((await asWorker('POST', '/alive', { range: null })).status).toBe(409);
  });

  test("model calls of a job are billed to the job's owner", async () => {
    for (const [owner, userId] of [
      ['ada', 'ada'],
      [null, 'workflows'],
    ] as const) {
      const backend = { kind: 'gateway', model: 'openai:small' } as const;
      const { gateway, claim, clock, asWorker, token } = await openJob(1, { backend }, owner);
      const { usage } = gateway.context.state;
      await asWorker('GET', '/job');
      const chat = {
        model: 'openai:small',
        messages: [{ role: 'user', content: 'Hi' }],
        user: 'somebody else',
      };
      const headers = { 'X-Gateway-Key': `Bearer ${token}` };
      expect((await gateway.ask('POST', '/v1/chat/completions', chat, headers)).status).toBe(200);
      expect(await usage.totals({ userId })).toMatchObject({ requests: 1 });
      const forged = { 'X-Gateway-Key': 'Bearer gwjob-x' };
      expect((await gateway.ask('POST', '/v1/chat/completions', chat, forged)).status).toBe(401);
      // The gateway caches a worker's job for a quarter of a second.
      await gateway.context.jobs.queue.release(claim);
      clock.advance(251);
      const late = await gateway.ask('POST', '/v1/chat/completions', chat, headers);
      expect([late.status, late.body]).toMatchObject([409, { error: { code: 'lease_lost' } }]);
      expect(await usage.totals({ userId })).toMatchObject({ requests: 1 });
    }
  });
});
