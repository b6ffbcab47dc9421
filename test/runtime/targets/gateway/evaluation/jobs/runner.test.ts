import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import type { Compute } from '#gateway/evaluation/jobs/compute/compute.ts';
import { createLocalCompute } from '#gateway/evaluation/jobs/compute/local.ts';
import { createRunner, type Runner } from '#gateway/evaluation/jobs/runner/runner.ts';
import { createWorkerTokens } from '#gateway/evaluation/jobs/worker-tokens.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { describeDatabases } from '../../databases.ts';
import { inference, openJobs, type TestJobs } from './job-gateway.ts';

const guard = createOrphanGuard();
const runners: Runner[] = [];
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close();
});

/** A worker that runs this script in Node. */
function startRunner({ queue, store }: TestJobs, script: string): Runner {
  const { watch } = guard;
  const runner = createRunner({
    queue,
    tokens: createWorkerTokens(store),
    computes: [
      { compute: createLocalCompute({ command: [process.execPath, '-e', script], watch }), slots: 1 },
    ],
    workers: 1,
    gatewayUrl: () => 'http://127.0.0.1:1',
    clock: systemClock,
    log: testKernel().log,
  });
  runners.push(runner);
  runner.start();
  return runner;
}

const FOR_EVER = `process.stdin.resume().once('close', () => process.exit(0)); setInterval(() => {}, 1000);`;
const SPEC = { spec: inference('http://127.0.0.1:1') };

describeDatabases((database) => {
  const open = async (): Promise<TestJobs> => openJobs(database, await database.create());
  /** Resolves when a worker runs the job. */
  const claimed = async ({ get }: TestJobs, id: string): Promise<void> => {
    while ((await get(id)).status === 'created') await new Promise(setImmediate);
  };

  test("a job fails with the worker's last message after three early exits at the same row", async () => {
    const jobs = await open();
    const { id } = await jobs.create(4, SPEC);
    startRunner(jobs, `console.error('out of luck'); process.exit(7)`);
    const job = await jobs.ended(id);
    expect(job).toMatchObject({
      status: 'failed',
      error: 'The worker exited 3 times at row 0; last: exit code 7:\nout of luck',
    });
    const said = (await jobs.queue.logs(id)).map(({ text }) => text);
    expect(said.filter((text) => text === 'out of luck')).toHaveLength(3);
  });

  test('the count of early exits continues on another gateway', async () => {
    const jobs = await open();
    const { id } = await jobs.create(4, SPEC);
    const said = async (): Promise<number> =>
      (await jobs.queue.logs(id)).filter(({ text }) => text === 'out of luck').length;
    const script = `console.error('out of luck'); process.exit(7)`;
    const first = startRunner(jobs, script);
    while ((await said()) === 0) await new Promise(setImmediate);
    await first.close();
    startRunner(jobs, script);
    expect(await jobs.ended(id)).toMatchObject({ status: 'failed' });
    expect(await said()).toBe(3);
  });

  test('a canceled job stops within about a second', async () => {
    const jobs = await open();
    const { id } = await jobs.create(4, SPEC);
    startRunner(jobs, FOR_EVER);
    await claimed(jobs, id);
    await jobs.queue.cancel(id);
    expect(await jobs.ended(id)).toMatchObject({ status: 'stopped', error: 'Cancelled.' });
  });

  test('a job fails at its time limit, even if its worker does not respond', async () => {
    const jobs = await open();
    const { id } = await jobs.create(4, { ...SPEC, timeoutSec: 1 });
    startRunner(jobs, `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`);
    expect(await jobs.ended(id)).toMatchObject({
      status: 'failed',
      error: 'The job made no progress for 1 seconds (job_timeout_sec).',
    });
  });

  test('a closing runner stops its worker and releases the job', async () => {
    const jobs = await open();
    const { id } = await jobs.create(4, SPEC);
    const runner = startRunner(jobs, FOR_EVER);
    await claimed(jobs, id);
    await runner.close();
    expect(await jobs.queue.claim()).toMatchObject({ job: { id }, epoch: 2 });
  });

  test('every job gets one slot first, and idle slots are shared', async () => {
    const jobs = await open();
    const held = new Map<string, number>();
    let most = 0;
    const compute: Compute = {
      name: 'local',
      capacity: () => Promise.resolve(3),
      async run({ jobId }, { started }, signal) {
        await started();
        held.set(jobId, (held.get(jobId) ?? 0) + 1);
        most = Math.max(most, all());
        if (!signal.aborted) await once(signal, 'abort');
        held.set(jobId, (held.get(jobId) ?? 0) - 1);
        return { kind: 'ended', succeeded: false, how: 'stopped', lines: [] };
      },
      close: () => Promise.resolve(),
    };
    const all = (): number => held.values().reduce((sum, count) => sum + count, 0);
    const created = [await jobs.create(100, SPEC), await jobs.create(100, SPEC), await jobs.create(15, SPEC)];
    const runner = createRunner({
      queue: jobs.queue,
      tokens: createWorkerTokens(jobs.store),
      computes: [{ compute, slots: 'auto' }],
      workers: 'auto',
      gatewayUrl: () => 'http://127.0.0.1:1',
      clock: systemClock,
      log: testKernel().log,
    });
    runners.push(runner);
    runner.start();
    const until = async (...counts: readonly number[]): Promise<void> => {
      while (created.some(({ id }, at) => (held.get(id) ?? 0) !== counts[at])) await sleep(20);
    };
    await until(1, 1, 1);
    // The slots of a finished job go to the others. The rest of the last job is enough for two workers.
    await jobs.queue.cancel(created[0]?.id ?? '');
    await jobs.queue.cancel(created[1]?.id ?? '');
    await until(0, 0, 2);
    expect(most).toBe(3);
    expect(await jobs.get(created[2]?.id ?? '')).toMatchObject({ workers: 2 });
  });

  test('jobs for another compute are ignored', async () => {
    const jobs = await open();
    const other = await jobs.create(4, { ...SPEC, compute: 'ray' });
    const { id } = await jobs.create(4, SPEC);
    startRunner(jobs, 'process.exit(1)');
    await jobs.ended(id);
    expect(await jobs.get(other.id)).toMatchObject({ status: 'created' });
  });
});
