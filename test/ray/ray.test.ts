import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtProgram } from '../helpers/built.ts';
import { findRay, type RayCluster, startRay, THIS_MACHINE } from '../helpers/ray.ts';
import { createTcpProxy } from '../helpers/tcp-proxy.ts';
import { describeDatabases } from '../runtime/targets/gateway/databases.ts';
import {
  inference,
  openJobs,
  useJobGateways,
} from '../runtime/targets/gateway/evaluation/jobs/job-gateway.ts';
import {
  startModelServer,
  useModelServers,
} from '../runtime/targets/gateway/evaluation/jobs/model-server.ts';

const INSTALL_MS = 600_000;
const RAY = await findRay();
/** The cluster requires it for every request, and its nodes require it from each other. */
const TOKEN = 'the-token-of-the-cluster-0123456789abcdef';
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
const tokenFile = join(folder, 'token');
const start = useJobGateways();
useModelServers();

interface Submitted {
  readonly submission_id: string;
  readonly status: string;
  readonly driver_node_id: string | null;
}

interface Nodes {
  readonly data: {
    readonly result: {
      readonly result: readonly { readonly node_id: string; readonly is_head_node: boolean }[];
    };
  };
}

describe.skipIf(RAY === undefined)('Ray', () => {
  let cluster: RayCluster | undefined;
  beforeAll(async () => {
    cluster = await startRay(RAY ?? '', THIS_MACHINE, TOKEN);
    writeFileSync(tokenFile, `${TOKEN}\n`);
    await cluster.addNode(THIS_MACHINE, 2);
  }, INSTALL_MS);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const config = (address = cluster?.address, workers: number | 'auto' = 1): object => ({
    workflows: {
      compute: 'ray',
      workers,
      ray: {
        address,
        token_file: tokenFile,
        slots: 2,
        resources: { batch: 1 },
        command: `'${builtProgram('gateway')}'`,
      },
    },
  });

  const read = async <Body>(path: string): Promise<Body> =>
    (await (
      await fetch(`${cluster?.address}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
    ).json()) as Body;
  const allSubmitted = async (id: string): Promise<readonly Submitted[]> =>
    (await read<Submitted[]>('/api/jobs/')).filter(({ submission_id: name }) => name.startsWith(id));
  const submitted = async (id: string): Promise<Submitted | undefined> => (await allSubmitted(id))[0];
  /** Ray's statuses of all workers of a job, after all have ended. */
  const statuses = async (id: string): Promise<readonly string[]> => {
    for (;;) {
      const found = (await allSubmitted(id)).map(({ status }) => status);
      if (!found.includes('RUNNING') && !found.includes('PENDING')) return found;
      await sleep(100);
    }
  };
  const ranOnHead = async (id: string): Promise<boolean | undefined> => {
    const job = await submitted(id);
    const { data } = await read<Nodes>('/api/v0/nodes');
    return data.result.result.find((node) => node.node_id === job?.driver_node_id)?.is_head_node;
  };

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
        // The head node has no CPUs, so Ray has selected the other node.
        expect(await ranOnHead(id)).toBe(false);

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
        expect(await statuses(id)).toEqual(['SUCCEEDED']);
        expect(new Set(await statuses(poisoned.id))).toEqual(new Set(['FAILED']));
        expect(await statuses(held.id)).toEqual(['STOPPED']);
      },
    );

    test.skipIf(database.kind === 'postgres')(
      'an invalid cluster token fails the job, and no log contains the valid token',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        const model = await startModelServer();
        const { log } = await start(url, config());
        const { id } = await jobs.create(10, { spec: inference(model.url), compute: 'ray' });
        expect(await jobs.ended(id)).toMatchObject({ status: 'succeeded' });
        const other = await database.create();
        const wrong = await openJobs(database, other);
        const ray = { address: cluster?.address, token: 'wrong-token' };
        const refusing = await start(other, { workflows: { compute: 'ray', ray } });
        const refused = await wrong.create(10, { spec: inference(model.url), compute: 'ray' });
        const { status, error } = await wrong.ended(refused.id);
        expect(status).toBe('failed');
        expect(error).toContain('status 403: Forbidden: Invalid authentication token');
        const logs = [...(await jobs.queue.logs(id)), ...(await wrong.queue.logs(refused.id))];
        const texts = [...log, ...refusing.log, ...logs.map(({ text }) => text)].join('\n');
        expect(texts).not.toContain(TOKEN);
        expect(texts).not.toContain('wrong-token');
        expect((await fetch(`${cluster?.address}/api/jobs/`)).status).toBe(401);
      },
    );

    test.skipIf(database.kind === 'postgres')(
      'a job runs on as many workers as fit on the cluster',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        const model = await startModelServer();
        model.hold(true);
        await start(url, config(cluster?.address, 'auto'));
        const { id } = await jobs.create(200, { spec: inference(model.url), compute: 'ray' });
        await model.asked(20);
        model.hold(false);
        expect(await jobs.ended(id)).toMatchObject({ status: 'succeeded', doneRows: 200, workers: 2 });
        expect(await jobs.output(await jobs.get(id))).toHaveLength(200);
        expect(new Set(model.counts.values())).toEqual(new Set([1]));
        expect(await statuses(id)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      },
    );

    test.skipIf(database.kind === 'postgres')(
      'a job waits while the dashboard is unavailable, before and during its run',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        const model = await startModelServer();
        const proxy = await createTcpProxy(cluster?.address ?? '');
        await start(url, config(proxy.address));
        try {
          const { id } = await jobs.create(25, { spec: inference(model.url), compute: 'ray' });
          let job = await jobs.get(id);
          for (; job.queuedReason === null; job = await jobs.get(id)) await sleep(20);
          expect(job).toMatchObject({ error: null });
          expect(job.queuedReason).toContain(`Cannot reach Ray at ${proxy.address}: `);
          model.hold(true);
          await proxy.open();
          await model.asked(1);
          // The gateway has detected that the worker is running.
          for (job = await jobs.get(id); job.queuedReason !== null; job = await jobs.get(id)) await sleep(20);
          await proxy.close();
          for (job = await jobs.get(id); job.queuedReason === null; job = await jobs.get(id)) await sleep(20);
          expect(job.queuedReason).toContain('Running workers continue.');
          model.hold(false);
          for (; job.doneRows < 25; job = await jobs.get(id)) await sleep(20);
          await proxy.open();
          expect(await jobs.ended(id)).toMatchObject({ status: 'succeeded', doneRows: 25, error: null });
          expect(await statuses(id)).toEqual(['SUCCEEDED']);
          expect(new Set(model.counts.values())).toEqual(new Set([1]));
        } finally {
          await proxy.close();
        }
      },
    );
  });
});
