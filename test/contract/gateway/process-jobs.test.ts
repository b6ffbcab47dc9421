import { readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterEach, expect } from 'vitest';
import { selfSigned } from '../../helpers/self-signed.ts';
import {
  startModelServer,
  useModelServers,
} from '../../runtime/targets/gateway/evaluation/jobs/model-server.ts';
import { childrenOf } from '../../runtime/targets/manager/upstream/processes.ts';
import { verifiesOnce } from '../verifies.ts';
import { addressOf } from '../service-arms.ts';
import { environmentOf, writeFiles } from './arms.ts';
import { AS_MASTER } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { builtProgram } from '../../helpers/built.ts';

const { start, launch } = useGatewayProcesses();
useModelServers();
const agents: Agent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

const ROWS = 'examples\nfirst\nsecond\nthird\n';

/** Sends a request to a gateway that may have a self-signed certificate. */
function apiAt(url: string) {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  agents.push(agent);
  const ask = async (
    path: string,
    type?: string,
    body?: string,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const sent = body === undefined ? {} : { method: 'POST', body };
    const headers = { ...AS_MASTER, ...(type === undefined ? {} : { 'content-type': type }) };
    const answer = await fetch(`${url}/api/v1${path}`, { ...sent, headers, dispatcher: agent });
    expect([path, answer.ok]).toEqual([path, true]);
    return (await answer.json()) as Record<string, unknown>;
  };
  return {
    async create(modelUrl: string, rows = ROWS, more: object = {}): Promise<string> {
      const { id: dataset } = await ask('/datasets', 'text/csv', rows);
      const job_config = {
        job_type: 'inference',
        provider: 'encoder',
        model: 'counting',
        base_url: modelUrl,
        task_definition: { task: 'text-classification' },
      };
      const job = { name: 'job', dataset, job_config, ...more };
      return String((await ask('/jobs/inference', 'application/json', JSON.stringify(job)))['id']);
    },
    async rows(id: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
      const path = `${url}/api/v1/jobs/${id}/rows?format=jsonl`;
      const text = await (await fetch(path, { headers: AS_MASTER, dispatcher: agent })).text();
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async ended(id: string) {
      for (;;) {
        const job = await ask(`/jobs/${id}`);
        if (job['end_time'] !== null) return job;
      }
    },
  };
}

/** The gateway's processes that run jobs. */
const workersOf = (gateway: number | undefined): readonly number[] =>
  childrenOf(gateway).filter((pid) => readlinkSync(`/proc/${pid}/exe`) === builtProgram('gateway'));

verifiesOnce('gateway-process:workers', async () => {
  const model = await startModelServer();
  const { child, url } = await start({ config: {} });
  const api = apiAt(url);
  model.hold(true);
  await api.create(model.url);
  await model.asked(1);
  expect(workersOf(child.pid)).toHaveLength(1);
  child.kill('SIGKILL');
  await model.left;
});

verifiesOnce('gateway-process:workers-tls', async () => {
  const model = await startModelServer();
  const config = { tls: { cert_file: 'cert.pem', key_file: 'key.pem' } };
  const folder = writeFiles({ config });
  const { cert, key } = selfSigned();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  const url = await addressOf(launch(folder, [], environmentOf({})));
  expect(url).toMatch(/^https:/);
  const api = apiAt(url);
  const job = await api.ended(await api.create(model.url));
  expect(job).toMatchObject({ status: 'succeeded', done_rows: 3, error: null });
  expect(model.repeated()).toBe(0);
});

verifiesOnce('gateway-process:ranges', async () => {
  const [workers, batch_size] = [3, 5];
  const texts = Array.from({ length: 120 }, (_, at) => `text ${at}`);
  const model = await startModelServer();
  const { child, url } = await start({ config: { workflows: { workers } } });
  const api = apiAt(url);
  model.hold(true);
  const id = await api.create(model.url, ['examples', ...texts, ''].join('\n'), { batch_size });
  // There are as many requests as workers.
  await model.asked(workers * batch_size);
  const [victim = Number.NaN, ...others] = workersOf(child.pid);
  expect(others).toHaveLength(workers - 1);
  process.kill(victim, 'SIGKILL');
  model.hold(false);
  expect(await api.ended(id)).toMatchObject({ status: 'succeeded', done_rows: 120, failed_rows: 0 });
  const rows = (await api.rows(id)).map(({ examples }) => examples);
  expect(rows).toEqual(texts);
  // Only the batch in flight is processed again.
  expect(model.repeated()).toBe(batch_size);
});
