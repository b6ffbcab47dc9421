import { beforeAll, expect, test } from 'vitest';
import { type DescribedAnswers, describedAnswers } from '#test/helpers/described-answers.ts';
import { startFixture } from '../../fixture-provider.ts';
import type { Answer } from '../../api/open-gateway.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { doJobs } from './do-jobs.ts';
import { LABELLED, MASTER, requestsTo } from './workflow-requests.ts';

const encoder = await startFixture('encoder');
const gateway = useGateway();

let described: DescribedAnswers;
beforeAll(async () => {
  described = describedAnswers((await gateway().request('/openapi.json')).body);
});

const MODEL = () => ({ provider: 'encoder', model: 'guard', base_url: encoder.url });
const JOB = (dataset: string, config: object) => ({
  name: 'j',
  dataset,
  job_config: { task_definition: { task: 'text-classification' }, ...config },
});
const TAGS = new Set(['Datasets', 'Experiments', 'Workflows', 'Jobs', 'Settings', 'Artifacts']);

test('every response matches the OpenAPI document', async () => {
  const { ask, context, request } = gateway();
  const { upload } = requestsTo(gateway());
  const tried = new Set<unknown>();
  const statuses = new Set<number>();
  const check = (method: string, path: string, answer: Answer): Answer => {
    described.expectDescribed(method, path, answer);
    tried.add(described.operationOf(method, path));
    statuses.add(answer.status);
    return answer;
  };
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    check(method, `/api/v1${path}`, await ask(method, `/api/v1${path}`, body));

  const dataset = check('POST', '/api/v1/datasets/', await upload(LABELLED)).body.id;
  check('POST', '/api/v1/datasets/', await upload('text\na\n'));
  check('POST', '/api/v1/datasets/', await upload(''));
  await send('GET', '/datasets/');
  await send('GET', '/datasets/?limit=0');
  await send('GET', `/datasets/${dataset}`);
  await send('PATCH', `/datasets/${dataset}`, { tags: ['one'] });
  await send('PATCH', `/datasets/${dataset}`, { tags: 'one' });
  await send('POST', '/datasets/from-requests', { dry_run: true });
  await send('POST', '/datasets/from-requests', { limit: 0 });
  await send('POST', '/datasets/import', { source: 'ftp://files' });
  await send('POST', '/datasets/import', { source: 'http://127.0.0.1:1/a.csv' });
  const tus = async (method: string, path: string, headers: object, body?: string): Promise<Answer> => {
    const all = { ...MASTER, 'Tus-Resumable': '1.0.0', ...headers };
    return check(method, path, await request(path, { method, headers: all, ...(body && { body }) }));
  };
  const metadata = { 'Upload-Metadata': `filename ${btoa('a.csv')}` };
  const begun = await tus('POST', '/api/v1/uploads/', { 'Upload-Length': '11', ...metadata });
  const upload_ = new URL(begun.headers.get('Location') ?? '').pathname;
  const bytes = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
  await tus('PATCH', upload_, bytes, 'examples\na\n');
  await tus('PATCH', upload_, bytes, 'examples\na\n');
  await tus('GET', upload_, {});
  await tus('DELETE', upload_, {});
  await tus('GET', upload_, {});
  await send('GET', '/datasets/none');
  await send('GET', '/models/');
  await send('GET', '/models/?tasks=cooking');
  const download = await send('GET', `/datasets/${dataset}/download`);
  const file = new URL(download.body.download_urls[0]);
  check('GET', file.pathname, await request(file.pathname + file.search));
  check('GET', file.pathname, await request(`${file.pathname}?expires=1&sig=x`));
  const task_definition = { task: 'text-classification' };
  const id = (await send('POST', '/experiments/', { name: 'x', dataset, task_definition })).body.id;
  await send('POST', '/experiments/', { name: '', dataset: 1 });
  await send('PATCH', `/experiments/${id}`, { description: 'd' });
  await send('GET', '/experiments/all');
  await send('GET', '/experiments/');
  const made = (await send('POST', '/workflows/', { name: 'w', experiment_id: id, ...MODEL() })).body.id;
  await send('POST', '/workflows/', { name: 'w', experiment_id: 'none', ...MODEL() });
  await send('POST', '/workflows/', { name: 'w', experiment_id: id, ...MODEL(), metrics: [] });
  await send('PATCH', `/workflows/${made}`, { tags: ['one'] });
  await send('GET', `/workflows/${made}/result/download`);
  await send('DELETE', `/workflows/${made}`);
  await send('POST', `/workflows/${made}/cancel`);
  await send('POST', `/workflows/${made}/retry`);
  const failed = (await send('GET', `/workflows/${made}`)).body;
  expect(failed.status).toBe('created');
  await doJobs(context.jobs);
  await send('POST', `/workflows/${made}/retry`);
  await send('POST', `/workflows/${made}/retry`, { model: 'other' });
  await send('GET', `/workflows/${made}/rows`);
  await send('GET', `/workflows/${made}/rows?format=jsonl`);
  await send('GET', `/workflows/${made}/rows?format=xml`);
  await send('GET', `/workflows/${made}/logs`);
  check(
    'GET',
    `/api/v1/workflows/${made}/logs`,
    await ask('GET', `/api/v1/workflows/${made}/logs?follow=true`),
  );
  const results = new URL((await send('GET', `/workflows/${made}/result/download`)).body);
  check('GET', results.pathname, await request(results.pathname + results.search));
  await send('GET', `/workflows/?experiment_id=${id}&status=succeeded`);
  await send('GET', '/workflows/none');
  await send('GET', `/experiments/${id}`);
  await send('GET', `/experiments/${id}/compare`);
  await send('GET', `/experiments/${id}/rows?limit=1`);
  await send('GET', `/experiments/${id}/plots`);
  await send('GET', `/experiments/${id}/progress`);
  await send('GET', `/experiments/${id}/matrix`);
  await send('GET', `/experiments/${id}/agreement?raters=examples,ground_truth`);
  await send('GET', `/experiments/${id}/report`);
  await send('DELETE', `/datasets/${dataset}`);

  const job = (await send('POST', '/jobs/inference/', JOB(dataset, { job_type: 'inference', ...MODEL() })))
    .body.id;
  await send('POST', '/jobs/annotate/', JOB(dataset, { job_type: 'annotate', ...MODEL() }));
  await send('GET', `/jobs/${job}/result`);
  await doJobs(context.jobs);
  await send('GET', '/jobs/?job_types=inference,annotate');
  await send('GET', '/jobs/?job_types=nothing');
  await send('GET', `/jobs/${job}`);
  await send('GET', `/jobs/${job}/logs`);
  check('GET', `/api/jobs/${job}`, await ask('GET', `/api/jobs/${job}`));
  await send('GET', `/jobs/${job}/result`);
  const answers = (await send('GET', `/jobs/${job}/dataset`)).body;
  expect(answers).toMatchObject({ generated: true, run_id: null, row_count: 4 });
  await send('GET', `/jobs/${job}/result/download`);
  await send('GET', `/jobs/${job}/rows`);
  await send('POST', `/jobs/${job}/retry`);
  await send('POST', `/jobs/${job}/retry`, { batch_size: 0 });
  await send('POST', `/jobs/${job}/cancel`);
  const scores = JOB(answers.id, { job_type: 'evaluator', metrics: ['accuracy'] });
  const evaluation = (await send('POST', '/jobs/evaluator/', scores)).body.id;
  await send('POST', '/jobs/evaluator/', JOB(dataset, { job_type: 'evaluator', metrics: ['accuracy'] }));
  await doJobs(context.jobs);
  expect((await send('GET', `/jobs/${evaluation}/result`)).body.metrics).toEqual({ accuracy: 0.75 });
  const rows = new URL((await send('GET', `/jobs/${evaluation}/result/download`)).body.download_url);
  expect((await request(rows.pathname + rows.search)).text.trim().split('\n')).toHaveLength(4);
  await send('GET', `/jobs/${evaluation}/dataset`);
  await send('GET', '/jobs/none');

  await send('PUT', '/settings/secrets/key', { value: 'sk-1' });
  await send('PUT', '/settings/secrets/key', { value: 'sk-2', description: 'new' });
  const secrets = await send('GET', '/settings/secrets');
  await send('GET', '/settings/secrets?limit=1');
  expect(secrets.text).not.toContain('sk-');
  await send('DELETE', '/settings/secrets/key');
  await send('DELETE', '/settings/secrets/key');
  await send('DELETE', `/workflows/${made}`);
  await send('DELETE', `/experiments/${id}`);
  await send('DELETE', `/experiments/${id}`);
  await send('DELETE', `/datasets/${dataset}`);
  expect((await request('/api/v1/health/')).body).toEqual({ status: 'OK', deployment_type: 'local' });

  expect([...statuses].sort((one, other) => one - other)).toEqual([200, 201, 204, 400, 403, 404, 409, 422]);
  const untried = described.operations.filter(
    (operation) => TAGS.has(operation.tags[0] ?? '') && !tried.has(operation),
  );
  expect(untried.map(({ operationId }) => operationId)).toEqual([]);
});
