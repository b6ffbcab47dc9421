import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Job } from '#gateway/evaluation/jobs/job.ts';
import { createRayCompute } from '#gateway/evaluation/jobs/compute/ray.ts';
import { createRunner, type Runner } from '#gateway/evaluation/jobs/runner/runner.ts';
import { createWorkerTokens } from '#gateway/evaluation/jobs/worker-tokens.ts';
import {
  createRayJobsApi,
  type RayJobsApi,
  type RayJobsApiOptions,
  type Submission,
  SUCCEEDED,
} from '#test/helpers/ray-jobs-api.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { describeDatabases } from '../../databases.ts';
import { inference, openJobs, type TestJobs } from './job-gateway.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Five times as fast as the system clock, because the runner and the cluster's client mostly wait. */
const clock: Clock = {
  now: () => systemClock.now() * 5,
  after: (milliseconds, run) => systemClock.after(milliseconds / 5, run),
};
const pass = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => clock.after(milliseconds, resolve));

const RESOURCES = { cpus: 0.5, gpus: 1, memory: 1_000_000, custom: { batch: 2 } };
const LABELS = { zone: 'a' };
const NEW = { spec: inference('http://127.0.0.1:1'), compute: 'ray' };
const RESULT = { metrics: {}, details: {}, parameters: {} };

function startRunner({ queue, store }: TestJobs, { address }: RayJobsApi): Runner {
  const options = {
    address,
    token: undefined,
    command: 'gateway',
    cacheBytes: 1000,
    resources: RESOURCES,
    labels: LABELS,
    clock,
  };
  const runner = createRunner({
    queue,
    tokens: createWorkerTokens(store),
    computes: [{ compute: createRayCompute(options), slots: 2 }],
    workers: 1,
    gatewayUrl: () => 'http://127.0.0.1:1',
    clock,
    log: testKernel().log,
  });
  closers.push(runner.close);
  runner.start();
  return runner;
}

describeDatabases((database) => {
  const open = async (options: (jobs: TestJobs) => RayJobsApiOptions) => {
    const jobs = await openJobs(database, await database.create());
    const ray = await createRayJobsApi(options(jobs));
    closers.push(() => ray.close());
    return { jobs, ray };
  };
  /** The work of a worker that Ray starts. */
  const work = async ({ queue }: TestJobs, { submission_id: submission }: Submission): Promise<undefined> => {
    const [, id = '', epoch] = /^(.{36})-(\d+)-/.exec(submission) ?? [];
    await queue.end(await queue.held(id, Number(epoch)), { status: 'succeeded', result: RESULT });
  };
  const until = async ({ get }: TestJobs, id: string, isTrue: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      const job = await get(id);
      if (isTrue(job)) return job;
      await sleep(20);
    }
  };
  /** The log keeps messages that are shown only briefly between two submissions. */
  const logOf = async ({ queue }: TestJobs, id: string): Promise<string> =>
    (await queue.logs(id)).map(({ text }) => text).join('\n');
  const isExplained = ({ queuedReason }: Job): boolean => queuedReason !== null;

  test('jobs stay queued while the cluster is unreachable and run when it is back', async () => {
    const { jobs, ray } = await open((all) => ({ submitted: (one) => work(all, one) }));
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) ids.push((await jobs.create(4, { ...NEW, timeoutSec: 1 })).id);
    startRunner(jobs, ray);
    for (const id of ids) {
      const job = await until(jobs, id, (one) => isExplained(one) && one.status === 'created');
      expect(job).toMatchObject({ error: null, startedAt: null });
      expect(job.queuedReason).toContain(`Cannot reach Ray at ${ray.address}: `);
    }
    // Longer than the jobs' time limit, which starts with their work.
    await pass(1500);
    await ray.listen();
    for (const id of ids) {
      expect(await jobs.ended(id)).toMatchObject({ status: 'succeeded', error: null, queuedReason: null });
    }
    const logs = await Promise.all(ids.map((id) => jobs.queue.logs(id)));
    const counts = logs.map((lines) => lines.filter(({ text }) => text.includes('stays queued')).length);
    expect(Math.max(...counts)).toBe(1);
  });

  test('each job is submitted with its resource requirements', async () => {
    const { jobs, ray } = await open((all) => ({ submitted: (one) => work(all, one) }));
    await ray.listen();
    const { id } = await jobs.create(4, NEW);
    startRunner(jobs, ray);
    await jobs.ended(id);
    expect(ray.submissions).toMatchObject([
      {
        entrypoint: expect.stringMatching(/^exec ".*python3 .*" -c "\$GATEWAY_JOB_LAUNCHER"$/),
        runtime_env: { env_vars: { GATEWAY_JOB_COMMAND: 'gateway', GATEWAY_JOB_CACHE_BYTES: '1000' } },
        entrypoint_num_cpus: 0.5,
        entrypoint_num_gpus: 1,
        entrypoint_memory: 1_000_000,
        entrypoint_resources: { batch: 2 },
        entrypoint_label_selector: LABELS,
      },
    ]);
  });

  test.each([
    [500, 'No available agent to submit job, please try again later.'],
    [503, 'upstream unavailable'],
    [429, 'slow down'],
  ])('a job is submitted again after the cluster returns %i', async (status, body) => {
    const { jobs, ray } = await open((all) => ({
      submitted: async (one, number) => (number === 1 ? { status, body } : await work(all, one)),
    }));
    await ray.listen();
    const { id } = await jobs.create(4, NEW);
    startRunner(jobs, ray);
    expect(await jobs.ended(id)).toMatchObject({ status: 'succeeded' });
    expect(await logOf(jobs, id)).toContain(`returned status ${status}: ${body}`);
    expect(ray.submissions).toHaveLength(2);
  });

  test.each([
    [400, 'Traceback\nTypeError: entrypoint must be a string'],
    [401, 'Unauthorized'],
    [500, 'Traceback\nRuntimeError: Request failed with status code 400: ValueError: bad resources.'],
  ])("a permanent rejection (%i) fails the job with the cluster's reason", async (status, body) => {
    const { jobs, ray } = await open(() => ({ submitted: () => Promise.resolve({ status, body }) }));
    await ray.listen();
    const { id } = await jobs.create(4, NEW);
    startRunner(jobs, ray);
    const said = body.split('\n').at(-1);
    expect(await jobs.ended(id)).toMatchObject({
      status: 'failed',
      error: `The Ray cluster rejected the job: Ray at ${ray.address} returned status ${status}: ${said}`,
    });
    expect(ray.submissions).toHaveLength(1);
  });

  test('a job waiting for resources shows the reason, and its time limit does not run', async () => {
    const waiting = { status: 'PENDING', message: 'It may be waiting for resources.', error_type: null };
    let shown: string | object = waiting;
    const { jobs, ray } = await open(() => ({ shown: () => ({ status: 200, body: shown }) }));
    await ray.listen();
    const { id } = await jobs.create(4, { ...NEW, timeoutSec: 1 });
    startRunner(jobs, ray);
    const reason = 'The Ray cluster has not started the job yet: It may be waiting for resources.';
    expect(await until(jobs, id, isExplained)).toMatchObject({ status: 'pending', queuedReason: reason });
    await pass(1500);
    expect(await jobs.get(id)).toMatchObject({ status: 'pending', startedAt: null, queuedReason: reason });
    shown = { status: 'RUNNING', message: 'Job is currently running.', error_type: null };
    expect((await until(jobs, id, ({ startedAt }) => startedAt !== null)).queuedReason).toBeNull();
    shown = SUCCEEDED.body;
    expect(await jobs.ended(id)).toMatchObject({ status: 'failed' });
  });

  const timedOut = {
    status: 'FAILED',
    message: 'Job supervisor actor failed to start within 900.0 seconds.',
    error_type: 'JOB_SUPERVISOR_ACTOR_START_TIMEOUT',
  };
  test.each([
    ['found no node for it', { status: 200, body: timedOut }, timedOut.message],
    ['was restarted', { status: 404, body: 'Job does not exist' }, 'restarted'],
  ])('a job is submitted again if its cluster %s', async (_what, answer, reason) => {
    const { jobs, ray } = await open((all) => ({
      submitted: async (one, number) => (number === 1 ? undefined : await work(all, one)),
      shown: () => (ray.submissions.length === 1 ? answer : SUCCEEDED),
    }));
    await ray.listen();
    const { id } = await jobs.create(4, NEW);
    startRunner(jobs, ray);
    expect(await jobs.ended(id)).toMatchObject({ status: 'succeeded' });
    expect(await logOf(jobs, id)).toContain(reason);
  });

  test('a job waiting for its cluster can be canceled', async () => {
    const { jobs, ray } = await open(() => ({}));
    const { id } = await jobs.create(4, NEW);
    startRunner(jobs, ray);
    await until(jobs, id, isExplained);
    await jobs.queue.cancel(id);
    expect(await jobs.ended(id)).toMatchObject({ status: 'stopped', queuedReason: null });
  });
});
