import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Job } from '../../../../../runtime/targets/gateway/jobs/api.ts';
import { describeDatabases } from '../databases.ts';
import { type GatewayProcess, inference, openJobs, type TestJobs, useJobGateways } from './job-gateway.ts';
import { type ModelServer, startModelServer, useModelServers } from './model-server.ts';

/** `KILLS=20 ROWS=10000` for the whole of what was promised; a few for every day. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const ROWS = Number(process.env['ROWS'] ?? 300);
const BATCH = 10;
/** One that is computed, and one that is computed already and being written. */
const IN_FLIGHT = 2 * BATCH;

const start = useJobGateways();
useModelServers();

/** Kills a gateway at some moment of every part of the job, as `next` says which. */
async function killOften(model: ModelServer, next: () => Promise<GatewayProcess>): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { child, ended } = await next();
    await model.asked(Math.floor(((kill + Math.random()) * ROWS) / (KILLS + 1)) + 1);
    // Not always when a batch has just arrived.
    await sleep(randomInt(0, 40));
    child.kill('SIGKILL');
    await ended;
  }
}

async function expectOnce(job: Job, jobs: TestJobs, { counts }: ModelServer, kills: number): Promise<void> {
  const texts = Array.from({ length: ROWS }, (_, at) => `text ${at}`);
  expect((await jobs.output(job)).map(({ examples }) => examples)).toEqual(texts);
  expect(counts.size).toBe(ROWS);
  const asked = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (process.env['KILLS']) console.log(`${kills} kills, ${ROWS} rows, ${asked - ROWS} asked again`);
  expect(asked - ROWS).toBeLessThanOrEqual(kills * IN_FLIGHT);
}

describeDatabases((database) => {
  test('a job goes on after every kill of its gateway, and no row is lost, doubled or computed again without need', async () => {
    const url = await database.create();
    const jobs = await openJobs(database, url);
    const model = await startModelServer();
    const { id } = await jobs.create(ROWS, { spec: inference(model.url, { batchSize: BATCH }) });
    await killOften(model, () => start(url));
    await start(url);
    const job = await jobs.ended(id);
    expect(job).toMatchObject({ status: 'succeeded', doneRows: ROWS, failedRows: 0, error: null });
    await expectOnce(job, jobs, model, KILLS);
  });

  test('the worker of a gateway that is killed ends at once', async () => {
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
    'another replica goes on when the one with the job is killed',
    async () => {
      const url = await database.create();
      const jobs = await openJobs(database, url);
      const model = await startModelServer();
      const replicas = await Promise.all([start(url), start(url)]);
      const { id } = await jobs.create(ROWS, { spec: inference(model.url, { batchSize: BATCH }) });
      await model.asked(ROWS / 3);
      const row = await jobs.store.db
        .selectFrom('gateway_jobs')
        .select('lease_owner')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const holder = replicas.find(({ child }) => row.lease_owner?.split('\t')[1] === String(child.pid));
      holder?.child.kill('SIGKILL');
      const job = await jobs.ended(id);
      expect(holder).toBeDefined();
      expect(job).toMatchObject({ status: 'succeeded', doneRows: ROWS, failedRows: 0, error: null });
      await expectOnce(job, jobs, model, 1);
    },
  );
});
