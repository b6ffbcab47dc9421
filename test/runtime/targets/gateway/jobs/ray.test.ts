import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../../../helpers/paths.ts';
import { findRay, type RayCluster, startRay } from '../../../../helpers/ray.ts';
import { describeDatabases } from '../databases.ts';
import { inference, openJobs, useJobGateways } from './job-gateway.ts';
import { startModelServer, useModelServers } from './model-server.ts';

const INSTALL_MS = 600_000;
const RAY = await findRay();
const start = useJobGateways();
useModelServers();

describe.skipIf(RAY === undefined)('Ray', () => {
  let cluster: RayCluster | undefined;
  beforeAll(async () => {
    cluster = await startRay(RAY ?? '');
  }, INSTALL_MS);
  afterAll(async () => await cluster?.stop());

  const config = (): object => ({
    workflows: {
      compute: 'ray',
      ray: {
        address: cluster?.address,
        slots: 2,
        command: `'${process.execPath}' '${join(ROOT, 'runtime/targets/gateway/main.ts')}'`,
      },
    },
  });

  describeDatabases((database) => {
    test.skipIf(database.kind === 'postgres')(
      'jobs run, fail and stop on a node of a real cluster',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        const model = await startModelServer();
        await start(url, config());

        const { id } = await jobs.create(25, { spec: inference(model.url), compute: 'ray' });
        const job = await jobs.ended(id);
        expect(job.error).toBeNull();
        expect(job).toMatchObject({ status: 'succeeded', doneRows: 25 });
        expect(await jobs.output(job)).toHaveLength(25);
        expect(new Set(model.counts.values())).toEqual(new Set([1]));

        const poisoned = await jobs.create(['fine', 'poison'], {
          spec: inference(model.url),
          compute: 'ray',
        });
        model.hold(true);
        const held = await jobs.create(['held 1', 'held 2'], { spec: inference(model.url), compute: 'ray' });
        while (!model.counts.has('held 1')) await model.asked(28);
        await jobs.queue.cancel(held.id);
        expect(await jobs.ended(held.id)).toMatchObject({ status: 'stopped', error: 'Cancelled.' });
        model.hold(false);
        expect(await jobs.ended(poisoned.id)).toMatchObject({ status: 'failed' });
        const listed = (await (await fetch(`${cluster?.address}/api/jobs/`)).json()) as {
          readonly submission_id: string;
          readonly status: string;
        }[];
        const stopped = listed.find(({ submission_id: name }) => name.startsWith(held.id));
        expect(stopped?.status).toBe('STOPPED');
      },
    );
  });
});
