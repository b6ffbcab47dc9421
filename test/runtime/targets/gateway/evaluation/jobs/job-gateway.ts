import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type afterAll, afterEach } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { readStoredRows } from '#gateway/evaluation/datasets/chunks.ts';
import { createDatasets } from '#gateway/evaluation/datasets/datasets.ts';
import type { Job, JobQueue, NewJob } from '#gateway/evaluation/jobs/job.ts';
import { createJobQueue } from '#gateway/evaluation/jobs/queue.ts';
import { isOver } from '#gateway/evaluation/jobs/job-row.ts';
import type { Store } from '#gateway/store/store.ts';
import { canBeRunning } from '#gateway/store/machine.ts';
import type { InferenceSpec } from '#gateway/evaluation/work/work.ts';
import { builtProgram } from '#test/helpers/built.ts';
import { TEST_CACHE } from '#test/helpers/paths.ts';
import { createTestClock } from '../../test-clock.ts';
import type { TestDatabase } from '../../databases.ts';

export interface GatewayProcess {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** The lines of its log so far. */
  readonly log: readonly string[];
}

const KEY = 'the-master-key-of-job-tests-0123456789';

/**
 * Real gateways, as executables because these start sooner than from source. Any still running are stopped after the
 * test, or after all tests.
 */
export function useJobGateways(
  after: typeof afterEach | typeof afterAll = afterEach,
): (databaseUrl: string, config?: object, port?: number) => Promise<GatewayProcess> {
  const running: GatewayProcess[] = [];
  const folders: string[] = [];
  after(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGTERM');
      await ended;
    }
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return async (databaseUrl, config = {}, port = 0) => {
    const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
    folders.push(folder);
    writeFileSync(join(folder, 'gateway.yml'), JSON.stringify(config));
    const flags = [
      '--port',
      String(port),
      '--no-watch',
      '--database-url',
      databaseUrl,
      '--config',
      'gateway.yml',
    ];
    const child = spawn(builtProgram('gateway'), ['serve', ...flags], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        ENCODERFILE_CACHE_DIR: TEST_CACHE,
        GATEWAY_MASTER_KEY: KEY,
      },
    });
    const ended = once(child, 'exit');
    const said: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line);
        if (process.env['SHOW_LOG']) console.log(line);
        const [, found] = /"url":"(http[^"]+)".*"msg":"serving"/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      void ended.then(() => reject(new Error(`The gateway ended: ${said.join('\n')}`)));
    });
    const gateway = { url, child, ended, log: said };
    running.push(gateway);
    return gateway;
  };
}

export const inference = (baseUrl: string, more: Partial<InferenceSpec> = {}): InferenceSpec => ({
  type: 'inference',
  task: { task: 'text-classification' },
  backend: { kind: 'encoder-url', baseUrl, secretName: null },
  batchSize: 10,
  generation: {},
  systemPrompt: '',
  outputField: 'predictions',
  maxErrorRate: 0,
  ...more,
});

export interface TestJobs {
  readonly store: Store;
  readonly queue: JobQueue;
  /** Creates a job with this many rows, or with these. */
  readonly create: (
    rows: number | readonly string[],
    job: Pick<NewJob, 'spec'> & Partial<NewJob>,
  ) => Promise<Job>;
  readonly get: (id: string) => Promise<Job>;
  readonly ended: (id: string) => Promise<Job>;
  /** The process that runs the job, once there is one. */
  readonly holder: (id: string) => Promise<number>;
  /** The rows that the job wrote. */
  readonly output: (job: Job) => Promise<readonly RowCells[]>;
}

/** The jobs of a database, without a gateway. */
export async function openJobs(database: TestDatabase, url: string): Promise<TestJobs> {
  const store = await database.openStore(url);
  const clock = createTestClock();
  const queue = createJobQueue(store, { clock, onEnded: () => Promise.resolve() });
  const datasets = createDatasets(store, { clock, maxBytes: 2 ** 30 });
  const get = (id: string): Promise<Job> => queue.get('everyone', id);
  return {
    store,
    queue,
    async create(rows, job) {
      const texts = typeof rows === 'number' ? Array.from({ length: rows }, (_, at) => `text ${at}`) : rows;
      const lines = ['examples,ground_truth', ...texts.map((text) => `${text},POSITIVE`)].join('\n');
      const bytes = (async function* () {
        yield Buffer.from(lines);
      })();
      const { id } = await datasets.upload({ filename: 'rows.csv', bytes, owner: null });
      const output = { filename: 'output.csv', runId: 'run', generatedBy: 'model', owner: null };
      return await queue.create(store.db, {
        teamId: null,
        keyId: null,
        workflowId: null,
        name: 'job',
        description: '',
        datasetId: id,
        outputId: await datasets.begin(store.db, output),
        totalRows: texts.length,
        compute: 'local',
        timeoutSec: 600,
        owner: null,
        ...job,
      });
    },
    get,
    async ended(id) {
      for (;;) {
        const job = await get(id);
        if (isOver(job.status)) return job;
        await sleep(20);
      }
    },
    async holder(id) {
      for (;;) {
        const { lease_owner: owner } = await store.db
          .selectFrom('gateway_jobs')
          .select('lease_owner')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const pid = Number(owner?.split('\t')[1] ?? 0);
        if (pid > 0 && canBeRunning(pid)) return pid;
        await sleep(20);
      }
    },
    output: async ({ outputId }) =>
      (await Array.fromAsync(readStoredRows(store.db, outputId ?? ''))).flatMap(({ rows }) => rows),
  };
}
