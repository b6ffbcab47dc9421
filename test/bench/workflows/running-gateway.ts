import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../serve/running-server.ts';
import { PATHS } from '../setup/paths.ts';

/** A gateway on SQLite that runs jobs in child processes. */
export interface RunningGateway {
  readonly pid: number;
  /** The ID of a dataset with these rows. */
  readonly upload: (csv: string) => Promise<string>;
  /** Classifies a dataset with an encoder; resolves with the milliseconds since the request. */
  readonly classify: (job: ClassifyJob, onLook?: (doneRows: number) => void) => Promise<number>;
  readonly stop: () => Promise<void>;
}

interface ClassifyJob {
  readonly dataset: string;
  readonly encoderUrl: string;
  readonly batchSize: number;
}

interface JobView {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly done_rows: number;
  readonly created_at: string;
  readonly end_time: string | null;
}

const MASTER_KEY = 'the-master-key-of-the-benchmark-0123456789';
const AUTHORIZED = { authorization: `Bearer ${MASTER_KEY}` };
const LOOK_EVERY_MS = 200;

export async function startGateway(): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-workflows-'));
  const config = join(folder, 'gateway.yml');
  await writeFile(config, JSON.stringify({ workflows: { max_dataset_bytes: 2 ** 30 } }), { mode: 0o600 });
  const data = join(folder, 'data');
  const server = await startServer(
    {
      command: process.env['BENCH_GATEWAY'] ?? PATHS.gateway,
      args: ['serve', '--config', config, '--data-dir', data, '--port', '0', '--log-level', 'error'],
      env: { GATEWAY_MASTER_KEY: MASTER_KEY },
    },
    /HTTP +http:\/\/[^ ]+:(\d+)$/,
  );
  const ask = async (path: string, type?: string, body?: string): Promise<unknown> => {
    const url = `http://127.0.0.1:${server.port}/api/v1${path}`;
    const answer = await fetch(url, {
      headers: { ...AUTHORIZED, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  return {
    pid: server.pid,
    upload: async (csv) => ((await ask('/datasets', 'text/csv', csv)) as { readonly id: string }).id,
    async classify(job, onLook) {
      let view = (await ask('/jobs/inference', 'application/json', requestFor(job))) as JobView;
      while (view.end_time === null) {
        await sleep(LOOK_EVERY_MS);
        view = (await ask(`/jobs/${view.id}`)) as JobView;
        onLook?.(view.done_rows);
      }
      if (view.status !== 'succeeded') throw new Error(`The job has ${view.status}: ${view.error}`);
      return Date.parse(view.end_time) - Date.parse(view.created_at);
    },
    async stop() {
      server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const requestFor = ({ dataset, encoderUrl, batchSize }: ClassifyJob): string =>
  JSON.stringify({
    name: 'bench',
    dataset,
    batch_size: batchSize,
    job_config: {
      job_type: 'inference',
      provider: 'encoder',
      model: 'sentiment',
      base_url: encoderUrl,
      task_definition: { task: 'text-classification' },
    },
  });
