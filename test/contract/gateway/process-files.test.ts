import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import { sha256 } from '#platform/sha256.ts';
import { builtProgram } from '../../helpers/built.ts';
import { createRayJobsApi, type RayJobsApi } from '../../helpers/ray-jobs-api.ts';
import { modelFor } from '../../helpers/small-container.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { verifiesOnce } from '../verifies.ts';
import { AS_MASTER } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const { start } = useGatewayProcesses();
const folder = useTempFolder();
const clusters: RayJobsApi[] = [];
afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.close();
});

const RUNNING = { status: 200, body: { status: 'RUNNING', message: '', error_type: null } };

verifiesOnce('gateway-process:job-files', async () => {
  const ray = await createRayJobsApi({ shown: () => RUNNING });
  clusters.push(ray);
  await ray.listen();
  const gateway = await start({ config: { workflows: { compute: 'ray', ray: { address: ray.address } } } });
  const [elsewhere = ''] = PLATFORMS.filter((one) => !isHost(one, process)).map(({ triple }) => triple);
  const [bytes, path] = [modelFor(elsewhere), join(folder(), 'model.encoder')];
  writeFileSync(path, bytes);
  const { body: dataset } = await gateway.ask('/api/v1/datasets/?filename=a.csv', {
    method: 'POST',
    body: 'examples\nfirst\n',
    headers: { ...AS_MASTER, 'content-type': 'text/csv' },
  });
  const job_config = {
    job_type: 'inference',
    provider: 'encoder',
    model: path,
    task_definition: { task: 'text-classification' },
  };
  const job = { name: 'job', dataset: dataset.id, job_config };
  expect((await gateway.post('/api/v1/jobs/inference', job, AS_MASTER)).status).toBe(201);
  const submission = await vi.waitUntil(() => ray.submissions[0], 20_000);
  const { GATEWAY_JOB_URL: url = '', GATEWAY_JOB_TOKEN: token = '' } = submission.runtime_env.env_vars;

  const get = (file: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/api/v1/worker/files${file}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
  const { files } = (await (await get('')).json()) as { files: readonly { sha256: string }[] };
  expect(files).toMatchObject([
    { role: 'program', path: builtProgram('gateway'), platform: `${process.platform}-${process.arch}` },
    { role: 'encoder', name: path, path, sha256: sha256(bytes), bytes: bytes.length },
  ]);
  const file = `/${sha256(bytes)}`;
  const part = async (range: string): Promise<Uint8Array> => {
    const answer = await get(file, { range });
    expect(answer.status).toBe(206);
    return await answer.bytes();
  };
  const parts = [await part('bytes=0-999'), await part('bytes=1000-')];
  expect(sha256(Buffer.concat(parts))).toBe(sha256(bytes));
  expect(sha256(await (await get(file)).bytes())).toBe(sha256(bytes));
  expect(await part(`bytes=${bytes.length - 4}-`)).toHaveLength(4);
  expect((await get(file, { authorization: 'Bearer gwjob-another' })).status).toBe(401);
  expect((await get(`/${'0'.repeat(64)}`)).status).toBe(404);

  writeFileSync(`${path}.new`, modelFor(elsewhere, 'embedding'));
  renameSync(`${path}.new`, path);
  const changed = await get(file);
  expect([changed.status, await changed.text()]).toEqual([
    409,
    expect.stringContaining(`\`${path}\` has changed since the job started`),
  ]);
});
