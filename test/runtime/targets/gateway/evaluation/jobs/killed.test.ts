import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import type { Job } from '#gateway/evaluation/jobs/job.ts';
import { describeDatabases } from '../../databases.ts';
import { type GatewayProcess, inference, openJobs, type TestJobs, useJobGateways } from './job-gateway.ts';
import { type ModelServer, startModelServer, useModelServers } from './model-server.ts';

/** `KILLS=20 ROWS=10000` runs the full test; by default there are only a few kills. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const ROWS = Number(process.env['ROWS'] ?? 300);
const BATCH = 10;
const WORKERS = 3;
const DONE = { status: 'succeeded', doneRows: ROWS, failedRows: 0, error: null };

const start = useJobGateways();
useModelServers();

/** Worker processes started by a gateway. */
const workersOf = (gateway: number | undefined): readonly number[] =>
  execaSync('ps', ['-o', 'pid=,args=', '--ppid', String(gateway)])
    .stdout.split('\n')
    .filter((line) => line.includes(' job run '))
    .map((line) => Number.parseInt(line, 10));

/** Whether all workers run again and have written rows, or the job has ended. */
async function hasMovedOn(gateway: number | undefined, id: string, jobs: TestJobs): Promise<boolean> {
  const { status } = await jobs.get(id);
  if (status === 'succeeded' || status === 'failed') return true;
  const { failed } = await jobs.store.db
    .selectFrom('gateway_job_ranges')
    .where('job_id', '=', id)
    .select(({ fn }) => fn.max<number | bigint>('failed_workers').as('failed'))
    .executeTakeFirstOrThrow();
  return Number(failed) === 0 && workersOf(gateway).length === WORKERS;
}

/**
 * Kills a gateway in every part of the job, at a moment that `next` selects. Resolves with the number of
 * recomputed rows at each of these moments.
 */
async function killOften(model: ModelServer, next: () => Promise<GatewayProcess>): Promise<number[]> {
  const repeated: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { child, ended } = await next();
    await model.asked(Math.floor(((kill + Math.random()) * ROWS) / (KILLS + 1)) + 1);
    // The kill must not always happen right after a batch has arrived.
    await sleep(randomInt(0, 40));
    child.kill('SIGKILL');
    await ended;
    repeated.push(model.repeated());
  }
  return repeated;
}

/** `before`: the number of recomputed rows at each kill. */
async function expectOnce(
  job: Job,
  jobs: TestJobs,
  model: ModelServer,
  before: readonly number[],
): Promise<void> {
  const texts = Array.from({ length: ROWS }, (_, at) => `text ${at}`);
  expect((await jobs.output(job)).map(({ examples }) => examples)).toEqual(texts);
  expect(new Set(model.counts.keys())).toEqual(new Set(texts));
  const after = [...before.slice(1), model.repeated()];
  const repeated = after.map((count, kill) => count - (before[kill] ?? NaN));
  if (process.env['KILLS']) console.log(summary(job, repeated));
  // Only the batch in flight is processed again.
  for (const rows of repeated) expect(rows).toBeLessThanOrEqual(BATCH);
}

const summary = ({ status, doneRows }: Job, repeated: readonly number[]): string =>
  `${repeated.length} kills, ${doneRows} of ${ROWS} rows, ${status}; rows computed again after each kill: ${repeated.join(' ')}`;

describeDatabases((database) => {
  test('a job survives repeated gateway kills without losing, duplicating or needlessly recomputing rows', async () => {
    const url = await database.create();
    const jobs = await openJobs(database, url);
    const model = await startModelServer();
    const { id } = await jobs.create(ROWS, { spec: inference(model.url, { batchSize: BATCH }) });
    const repeated = await killOften(model, () => start(url));
    await start(url);
    const job = await jobs.ended(id);
    expect(job).toMatchObject(DONE);
    await expectOnce(job, jobs, model, repeated);
  });

  test('several workers share a job and write every row exactly once, even if one of them is killed', async () => {
    const url = await database.create();
    const jobs = await openJobs(database, url);
    const model = await startModelServer();
    const { id } = await jobs.create(ROWS, { spec: inference(model.url, { batchSize: BATCH }) });
    model.hold(true);
    const { child } = await start(url, { workflows: { workers: WORKERS } });
    // There are as many requests as workers.
    await model.asked(WORKERS * BATCH);
    // Looked up again, because the rows of a killed worker move to another one, which can have rows already.
    const { owners } = await jobs.store.db
      .selectFrom('gateway_job_ranges')
      .where('job_id', '=', id)
      .select(({ fn }) => fn.count<number>('lease_owner').distinct().as('owners'))
      .executeTakeFirstOrThrow();
    expect({ owners, workers: (await jobs.get(id)).workers }).toEqual({ owners: WORKERS, workers: WORKERS });
    model.hold(false);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await model.asked(Math.floor(((kill + Math.random()) * ROWS) / (KILLS + 1)) + 1);
      // A job fails if three workers end at the same row, so the rows of the last one must have moved on.
      await expect.poll(() => hasMovedOn(child.pid, id, jobs), { timeout: 60_000, interval: 5 }).toBe(true);
      const workers = workersOf(child.pid);
      const victim = workers[randomInt(0, Math.max(1, workers.length))];
      if (victim !== undefined) process.kill(victim, 'SIGKILL');
    }
    const job = await jobs.ended(id);
    expect(job).toMatchObject(DONE);
    const texts = Array.from({ length: ROWS }, (_, at) => `text ${at}`);
    expect((await jobs.output(job)).map(({ examples }) => examples)).toEqual(texts);
    expect(model.repeated()).toBeLessThanOrEqual(KILLS * BATCH);
    // The metrics cover all rows, although several workers have counted them.
    expect(job.result).toMatchObject({ details: { rows: ROWS, failed_rows: 0 }, metrics: { error_rate: 0 } });
    if (process.env['KILLS']) console.log(summary(job, [model.repeated()]), `${owners} workers`);
  });

  test('a worker exits immediately when its gateway is killed', async () => {
    const url = await database.create();
    const jobs = await openJobs(database, url);
    const model = await startModelServer();
    const { id } = await jobs.create(BATCH, { spec: inference(model.url) });
    model.hold(true);
    const { child, ended } = await start(url);
    await model.asked(1);
    child.kill('SIGKILL');
    await ended;
    await model.left;
    expect(await jobs.get(id)).toMatchObject({ status: 'pending', doneRows: 0 });
  });

  test.skipIf(database.kind === 'sqlite')(
    'another replica continues a job when the replica running it is killed',
    async () => {
      const url = await database.create();
      const jobs = await openJobs(database, url);
      const model = await startModelServer();
      const { id } = await jobs.create(ROWS, { spec: inference(model.url, { batchSize: BATCH }) });
      const replicas: GatewayProcess[] = [];
      const repeated = await killOften(model, async () => {
        // Otherwise, the job would finish before the last gateway has started.
        model.hold(true);
        while (replicas.length < 2) replicas.push(await start(url));
        const pid = await jobs.holder(id);
        model.hold(false);
        return replicas.splice(
          replicas.findIndex(({ child }) => child.pid === pid),
          1,
        )[0] as GatewayProcess;
      });
      const job = await jobs.ended(id);
      expect(job).toMatchObject(DONE);
      await expectOnce(job, jobs, model, repeated);
    },
  );
});
