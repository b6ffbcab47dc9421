import { expect, test } from 'vitest';
import {
  answersWithAttacker,
  ATTACKER,
  FOREIGN_PAGES,
  HOSTILE_WAYS,
  routesOf,
  statusesOf,
  withoutStatus,
} from '#test/helpers/hostile-hosts.ts';
import { startFixture } from '../../fixture-provider.ts';
import type { OpenGateway } from '../../api/open-gateway.ts';
import { useOwnGateways } from '../../api/use-gateway.ts';
import { doJobs } from './do-jobs.ts';
import { LABELLED, MASTER, requestsTo } from './workflow-requests.ts';

const encoder = await startFixture('encoder');
const open = useOwnGateways();
const TUS = {
  'Tus-Resumable': '1.0.0',
  'Upload-Length': '9',
  'Upload-Metadata': `filename ${btoa('a.csv')}`,
};

/** Objects of a gateway whose responses contain URLs, by the path of their routes. */
async function filled(gateway: OpenGateway): Promise<readonly (readonly [string, string])[]> {
  const { ask, context } = gateway;
  const { upload, experiment, workflow } = requestsTo(gateway);
  const dataset = (await upload(LABELLED)).body.id;
  const experimentId = await experiment(dataset);
  const model = { provider: 'encoder', model: 'guard', base_url: encoder.url };
  const workflowId = (await workflow(experimentId, model)).body.id;
  const job = await ask('POST', '/api/v1/jobs/inference', {
    name: 'j',
    dataset,
    job_config: { job_type: 'inference', task_definition: { task: 'text-classification' }, ...model },
  });
  await doJobs(context.jobs);
  return [
    ['/workflows/', workflowId],
    ['/experiments/', experimentId],
    ['/datasets/', dataset],
    ['/jobs/', job.body.id],
  ];
}

const urlsOf = async ({ app }: OpenGateway, ids: readonly (readonly [string, string])[], host: string) => {
  const id = (part: string): string => ids.find(([one]) => one === part)?.[1] ?? '';
  const get = async (path: string): Promise<unknown> =>
    await (await app.request(`http://${host}${path}`, { headers: { ...MASTER, host } })).json();
  const dataset = (await get(`/api/v1/datasets/${id('/datasets/')}/download`)) as { download_urls: string[] };
  const job = (await get(`/api/v1/jobs/${id('/jobs/')}/result/download`)) as { download_url: string };
  const workflow = (await get(`/api/v1/workflows/${id('/workflows/')}`)) as {
    artifacts_download_url: string;
  };
  const results = (await get(`/api/v1/workflows/${id('/workflows/')}/result/download`)) as string;
  const headers = { ...MASTER, ...TUS, host };
  const begun = await app.request(`http://${host}/api/v1/uploads`, { method: 'POST', headers });
  const location = begun.headers.get('Location') ?? '';
  const urls = [
    dataset.download_urls[0] ?? '',
    job.download_url,
    workflow.artifacts_download_url,
    results,
    location,
  ];
  return [...new Set(urls.map((url) => new URL(url).origin))];
};

test.each(HOSTILE_WAYS)('no response contains a host that the client set by %s', async (_, base, headers) => {
  const gateway = await open();
  const ids = await filled(gateway);
  const routes = routesOf(gateway.app, (route) => ids.find(([part]) => route.includes(part))?.[1] ?? 'echo');
  expect(routes.length).toBeGreaterThan(150);
  const sent = { ...MASTER, ...TUS, ...headers };
  expect(await answersWithAttacker(gateway.app, routes, base, sent)).toEqual([]);
});

test('URLs begin with public_url, an allowed host or a fixed origin', async () => {
  for (const [server, host, origin] of [
    [{}, ATTACKER, 'http://localhost'],
    [{}, 'localhost:8000', 'http://localhost:8000'],
    [{ allowedHosts: ['tools.example'] }, 'tools.example', 'http://tools.example'],
    [{ publicUrl: 'https://gateway.example' }, ATTACKER, 'https://gateway.example'],
  ] as const) {
    const gateway = await open({ server });
    expect([host, await urlsOf(gateway, await filled(gateway), host)]).toEqual([host, [origin]]);
  }
});

test.each(FOREIGN_PAGES)('without a master key, every route rejects %j', async (headers) => {
  const { app } = await open({ hasMasterKey: false });
  const statuses = await statusesOf(app, headers);
  expect(statuses.length).toBeGreaterThan(150);
  expect(withoutStatus(statuses, 403)).toEqual([]);
});
