import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCli } from '../helpers/built.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import {
  canLimitProcessors,
  createNetworkNodes,
  type NetworkNode,
  type NetworkNodes,
} from '../helpers/network-nodes.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { writeRandomBert } from '../helpers/random-bert.ts';
import { findRay, type RayCluster, startRay } from '../helpers/ray.ts';
import { describeDatabases } from '../runtime/targets/gateway/databases.ts';
import {
  inference,
  openJobs,
  useJobGateways,
} from '../runtime/targets/gateway/evaluation/jobs/job-gateway.ts';

// `npm run test:ray:speed`: rows per second on one node and on two. Each node gets half of a CPU, however many nodes there are, so two idle
// CPUs are sufficient: the gateway, the database and the head node use the other one.

const ROWS = Number(process.env['ROWS'] ?? 2000);
const MIN_SPEEDUP = 1.8;
const LIMIT_MS = 900_000;
const RAY = await findRay();
const start = useJobGateways();
const PROCESSOR_SHARE = 0.5;
const hasProcessors = availableParallelism() >= 2 && canLimitProcessors();
const network: NetworkNodes | undefined =
  RAY === undefined || !hasProcessors ? undefined : createNetworkNodes(3);
/** Texts of maximum length, so that computation takes most of the time. */
const TEXTS = Array.from({ length: ROWS }, (_, at) => `text ${at} ${'and so on '.repeat(40)}`);

describe.skipIf(!network)('Ray on nodes with separate CPU limits', () => {
  const { hostIp, places } = network ?? { hostIp: '', places: [] };
  const [head, ...others] = places as readonly [NetworkNode, NetworkNode, NetworkNode];
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  const encoder = join(folder, 'bert.encoder');
  let cluster: RayCluster | undefined;
  beforeAll(async () => {
    writeRandomBert(join(folder, 'model'));
    const args = ['build', '-f', writeConfig(folder), '-o', encoder, '--quiet', '--cache-dir', TEST_CACHE];
    execFileSync(process.execPath, [builtCli(), ...args]);
    cluster = await startRay(RAY ?? '', head);
    for (const place of others) await cluster.addNode(place, 1);
  }, LIMIT_MS);
  afterAll(async () => {
    await cluster?.stop();
    for (const place of places) place.kill();
    network?.close();
    rmSync(folder, { recursive: true, force: true });
  }, LIMIT_MS);

  describeDatabases((database) => {
    test.skipIf(database.kind === 'sqlite')(
      'two nodes are 1.8 times as fast as one',
      async () => {
        const url = await database.create();
        const jobs = await openJobs(database, url);
        /** Rows per second between the first and the last written batch, so that startup does not count. */
        const measure = async (workers: number): Promise<number> => {
          const ray = { address: cluster?.address };
          const gateway = await start(url, { host: hostIp, workflows: { compute: 'ray', workers, ray } });
          const backend = { kind: 'encoder-file', path: encoder } as const;
          const spec = inference('', { backend, batchSize: 16 });
          const { id } = await jobs.create(TEXTS, { spec, compute: 'ray' });
          let [from, done] = [0, 0];
          // All workers have written a batch.
          while (done < workers * 64) {
            await new Promise((resolve) => setTimeout(resolve, 20));
            ({ doneRows: done } = await jobs.get(id));
            from = performance.now();
          }
          const job = await jobs.ended(id);
          const seconds = (performance.now() - from) / 1000;
          expect(job).toMatchObject({ status: 'succeeded', doneRows: ROWS, failedRows: 0 });
          gateway.child.kill('SIGTERM');
          await gateway.ended;
          return (ROWS - done) / seconds;
        };
        // The first run downloads the executables. Nodes need more time to start than later.
        await measure(2);
        for (const place of others) place.limitProcessors(PROCESSOR_SHARE);
        const [one, two] = [await measure(1), await measure(2)];
        console.log(
          `one node: ${one.toFixed(1)} rows/s, two nodes: ${two.toFixed(1)} rows/s, ratio ${(two / one).toFixed(2)}; load of this machine: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`,
        );
        expect(two / one).toBeGreaterThanOrEqual(MIN_SPEEDUP);
      },
      LIMIT_MS,
    );
  });
});
