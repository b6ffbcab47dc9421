import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtExecutable, builtProgram } from '../helpers/built.ts';
import { createNetworkNodes, type NetworkNode, type NetworkNodes } from '../helpers/network-nodes.ts';
import { findRay, freePort, type RayCluster, startRay } from '../helpers/ray.ts';
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

/** Rows of the job, of which a share is processed between two failures. */
const ROWS = Number(process.env['ROWS'] ?? 2000);
const BATCH = 10;
const START_MS = 600_000;
const RAY = await findRay();
const start = useJobGateways();
useModelServers();
const PROGRAM = builtProgram('gateway');
const ENCODER = builtExecutable('sentiment');
/** The nodes have only Ray, and no files of this project. */
const hidden = [dirname(PROGRAM), dirname(ENCODER)];
const network: NetworkNodes | undefined = RAY === undefined ? undefined : createNetworkNodes(3, { hidden });

interface Nodes {
  readonly data: {
    readonly result: { readonly result: readonly { readonly node_ip: string; readonly state: string }[] };
  };
}

describe.skipIf(!network)('Ray on nodes with separate networks and mounts', () => {
  const { hostIp, places } = network ?? { hostIp: '', places: [] };
  const [head, ...others] = places as readonly [NetworkNode, ...NetworkNode[]];
  let cluster: RayCluster | undefined;
  beforeAll(async () => {
    cluster = await startRay(RAY ?? '', head);
    for (const place of others) await cluster.addNode(place, 1);
  }, START_MS);
  afterAll(async () => {
    await cluster?.stop();
    for (const place of places) place.kill();
    network?.close();
  }, START_MS);

  const isAlive = async ({ ip }: NetworkNode): Promise<boolean> => {
    const { data } = (await (await fetch(`${cluster?.address}/api/v0/nodes`)).json()) as Nodes;
    return data.result.result.some((node) => node.node_ip === ip && node.state === 'ALIVE');
  };

  describeDatabases((database) => {
    test.skipIf(database.kind === 'sqlite')(
      'encoders referenced by path and by name run on the nodes, which download them and the program once',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        await start(url, {
          host: hostIp,
          encoders: { sentiment: { path: ENCODER } },
          workflows: { compute: 'ray', workers: 'auto', ray: { address: cluster?.address } },
        });
        const texts = Array.from({ length: 400 }, (_, at) => `text ${at}`);
        for (const backend of [
          { kind: 'encoder-file', path: ENCODER },
          { kind: 'gateway', model: 'encoder:sentiment' },
        ] as const) {
          const { id } = await jobs.create(texts, { spec: inference('', { backend }), compute: 'ray' });
          const job = await jobs.ended(id);
          expect(job).toMatchObject({
            status: 'succeeded',
            doneRows: 400,
            failedRows: 0,
            error: null,
            workers: 2,
          });
          expect((await jobs.output(job)).map(({ examples }) => examples)).toEqual(texts);
        }
        for (const { cache } of others) {
          const executables = readdirSync(join(cache, 'executables')).filter((name) => name.length === 64);
          expect(executables).toHaveLength(2);
        }
        // The gateway itself has processed no rows.
        expect(await jobs.store.db.selectFrom('gateway_usage').selectAll().execute()).toEqual([]);
      },
      START_MS,
    );

    test.skipIf(database.kind === 'sqlite')(
      'workers, nodes, gateways and the dashboard are killed ten times, and every row is written once',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        const model = await startModelServer(hostIp);
        const proxy = await createTcpProxy(cluster?.address ?? '');
        await proxy.open();
        const port = await freePort();
        const config = {
          host: hostIp,
          workflows: {
            compute: 'ray',
            workers: 'auto',
            ray: { address: proxy.address },
          },
        };
        let gateway = await start(url, config, port);
        const workers = (): number[] =>
          others.flatMap(({ processes }) =>
            processes()
              .filter(({ command }) => command.endsWith(' job run') && !command.includes('sh -c'))
              .map(({ pid }) => pid),
          );
        /** Waits until this number of rows has been processed, while a worker is still running. */
        const reach = async (kill: number): Promise<void> => {
          await model.asked(Math.ceil(((kill + 0.5) * ROWS) / (KILLS.length + 1)));
          while (workers().length === 0) {
            if ((await jobs.get(id)).endedAt !== null)
              throw new Error(`The job ended too early: set ROWS to more than ${ROWS}.`);
            await sleep(50);
          }
        };
        const lost = {
          worker: async () => {
            const [pid] = workers();
            // Process 0 would be its own process group.
            if (pid !== undefined) process.kill(pid, 'SIGKILL');
          },
          node: async (kill: number) => {
            const place = others[kill % others.length] as NetworkNode;
            place.kill();
            // Ray rejects a new node with the address of one that it still considers alive.
            while (await isAlive(place)) await sleep(200);
            await cluster?.addNode(place, 1);
          },
          gateway: async () => {
            gateway.child.kill('SIGKILL');
            await gateway.ended;
            gateway = await start(url, config, port);
          },
          dashboard: async () => {
            await proxy.close();
            const reason = async (): Promise<string | null> => (await jobs.get(id)).queuedReason;
            while ((await reason()) === null && (await jobs.get(id)).endedAt === null) await sleep(50);
            await proxy.open();
          },
        } as const;
        const KILLS = [
          'worker',
          'gateway',
          'node',
          'dashboard',
          'worker',
          'gateway',
          'worker',
          'node',
          'dashboard',
          'gateway',
        ] as const;
        const { id } = await jobs.create(ROWS, {
          spec: inference(model.url, { batchSize: BATCH }),
          compute: 'ray',
        });
        try {
          for (const [kill, what] of KILLS.entries()) {
            await reach(kill);
            // The other worker waits, so that enough rows are left for all failures, even on a fast machine.
            model.hold(true);
            await lost[what](kill);
            model.hold(false);
            console.log(`${what}: ${(await jobs.get(id)).doneRows} rows, ${model.repeated()} again`);
          }
          const job = await jobs.ended(id);
          expect(job).toMatchObject({ status: 'succeeded', doneRows: ROWS, failedRows: 0, error: null });
          const texts = Array.from({ length: ROWS }, (_, at) => `text ${at}`);
          expect((await jobs.output(job)).map(({ examples }) => examples)).toEqual(texts);
          expect(job.result).toMatchObject({ details: { rows: ROWS, failed_rows: 0 } });
          // The batches in flight: those of both workers when a gateway is killed.
          expect(model.repeated()).toBeLessThanOrEqual(KILLS.length * 2 * BATCH);
        } finally {
          await proxy.close();
        }
      },
      START_MS * 2,
    );
  });
});
