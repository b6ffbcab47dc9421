import { expect, vi } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { Answer } from '../shared-services.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { experimentOf, followed, upload } from './lab-requests.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const [encoder, openai] = [await startFixture('encoder'), await startFixture('openai')];
const start = shareGateways();
const CONFIG = { config: {} };
const WITH_MODELS = { config: { providers: providersFor({ openai }) } };
const PRICED = {
  config: {
    providers: providersFor({ openai }),
    pricing: { 'openai:good': { input_price_per_million: 1, output_price_per_million: 100 } },
  },
};
const ENCODER = () => ({
  name: 'w',
  provider: 'encoder',
  model: 'guard',
  base_url: encoder.url,
  batch_size: 2,
});

/** Starts a workflow that sends one row at a time to the priced model. Returns its path. */
async function startOneByOne(
  api: Awaited<ReturnType<typeof start>>,
  key: ReturnType<typeof asKey>,
): Promise<string> {
  const body = {
    name: 'w',
    provider: 'openai',
    model: 'good',
    generation_config: { max_new_tokens: 1 },
    max_concurrency: 1,
    experiment_id: await experimentOf(api, key),
  };
  return `/api/v1/workflows/${(await api.post('/api/v1/workflows/', body, key)).body.id}`;
}

verifiesGateway('gateway:workflows', async (arm) => {
  const api = await start(arm, CONFIG);
  const experiment_id = await experimentOf(api);
  const made = await api.post('/api/v1/workflows/', { ...ENCODER(), experiment_id }, AS_MASTER);
  expect([made.status, made.body.status]).toEqual([201, 'created']);
  expect(await followed(api, made.body.id)).toContain(
    'event: end\ndata: {"status":"succeeded","error":null}',
  );
  const { body } = await api.get(`/api/v1/experiments/${experiment_id}`, AS_MASTER);
  expect(body.workflows[0]).toMatchObject({ status: 'succeeded', metrics: { accuracy: 0.75 } });
  const { body: jobs } = await api.get('/api/v1/jobs/?job_types=evaluator', AS_MASTER);
  expect(jobs.items).toContainEqual(expect.objectContaining({ workflow_id: made.body.id, done_rows: 4 }));
});

verifiesGateway('gateway:workflows:results', async (arm) => {
  const api = await start(arm, CONFIG);
  const experiment_id = await experimentOf(api);
  const { id } = (await api.post('/api/v1/workflows/', { ...ENCODER(), experiment_id }, AS_MASTER)).body;
  const early = await api.get(`/api/v1/workflows/${id}/result/download`, AS_MASTER);
  // The job may already be finished, because it is small.
  expect([200, 409]).toContain(early.status);
  await followed(api, id);
  const { body: url } = await api.get(`/api/v1/workflows/${id}/result/download`, AS_MASTER);
  expect(url.startsWith(`${api.url}/api/v1/artifacts/`)).toBe(true);
  const results = await (await fetch(url)).json();
  expect(results).toMatchObject({ artifacts: { ground_truth: ['SAFE', 'INJECTION', 'INJECTION', 'SAFE'] } });
  expect((await fetch(`${url}0`)).status).toBe(403);
});

verifiesGateway('gateway:workflows:refused', async (arm) => {
  const api = await start(arm, CONFIG);
  const fields = await upload(api, 'text\na\n');
  expect([fields.status, fields.body.detail]).toEqual([403, 'Dataset is missing required fields: examples']);
  const experiment = await api.post('/api/v1/experiments/', { name: 'x', max_samples: 'all' }, AS_MASTER);
  expect([experiment.status, experiment.body.detail]).toEqual([
    422,
    [
      { type: 'missing', loc: ['body', 'dataset'], msg: 'dataset is missing', input: null },
      expect.objectContaining({ loc: ['body', 'max_samples'], input: 'all' }),
    ],
  ]);
  const experiment_id = await experimentOf(api);
  const other = { ...ENCODER(), experiment_id, base_url: `${encoder.url}/other` };
  const labels = await api.post('/api/v1/workflows/', other, AS_MASTER);
  expect([labels.status, labels.body.detail[0].msg]).toEqual([422, expect.stringContaining('"SAFE"')]);
});

verifiesGateway('gateway:workflows:answer-cache', async (arm) => {
  const api = await start(arm, PRICED);
  const experiment_id = await experimentOf(api);
  for (const name of ['first', 'second']) {
    const body = { name, provider: 'openai', model: 'good', metrics: ['accuracy'], experiment_id };
    await followed(api, (await api.post('/api/v1/workflows/', body, AS_MASTER)).body.id);
  }
  const { body } = await api.get(`/api/v1/experiments/${experiment_id}/compare`, AS_MASTER);
  const [first, second] = body.workflows;
  expect([first.answered_rows, first.cached_rows, first.cost > 0]).toEqual([4, 0, true]);
  expect([second.answered_rows, second.cached_rows, second.cost]).toEqual([4, 4, 0]);
  expect(second.metrics).toEqual(first.metrics);
  expect([first.tokens_per_row > 0, second.tokens_per_row]).toEqual([true, first.tokens_per_row]);
});

verifiesGateway('gateway:workflows:paused', async (arm) => {
  const api = await start(arm, PRICED);
  const { budget_id } = (await api.post('/v1/budgets', { max_budget: 0.0002 }, AS_MASTER)).body;
  await api.post('/v1/users', { user_id: 'poor', budget_id }, AS_MASTER);
  const key = asKey(await createKey(api, { user_id: 'poor' }));
  const path = await startOneByOne(api, key);
  const job = async () => (await api.get(path, key)).body.jobs[0];
  await vi.waitUntil(async () => /^Paused: .*budget/.test((await job()).queued_reason ?? ''), 20_000);
  expect(await job()).toMatchObject({ status: 'created', done_rows: 1, failed_rows: 0, error: null });
  expect((await api.get(path, key)).body).toMatchObject({ status: 'running', error: null });
  expect((await api.post(`${path}/cancel`, {}, key)).body.status).toBe('failed');
});

verifiesGateway('gateway:workflows:key', async (arm) => {
  const api = await start(arm, PRICED);
  const { body: made } = await api.post(
    '/v1/keys',
    { user_id: 'limited', budget: { max_budget: 0.0002 } },
    AS_MASTER,
  );
  const key = asKey(made.key);
  const path = await startOneByOne(api, key);
  const workflow = async () => (await api.get(path, AS_MASTER)).body;
  await vi.waitUntil(
    async () => /^Paused: .*budget/.test((await workflow()).jobs[0].queued_reason ?? ''),
    20_000,
  );
  expect((await api.get(`/v1/keys/${made.id}`, AS_MASTER)).body.spend).toBeGreaterThan(0);
  await api.ask(`/v1/keys/${made.id}`, {
    method: 'PATCH',
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    body: JSON.stringify({ is_active: false }),
  });
  await vi.waitUntil(async () => (await workflow()).status === 'failed', 60_000);
  expect((await workflow()).error).toContain('was stopped: Stopped: API key is inactive.');
  expect((await api.post(`${path}/retry`, {}, AS_MASTER)).status).toBe(401);
});

verifiesGateway('gateway:workflows:access', async (arm) => {
  const api = await start(arm, CONFIG);
  expect((await api.get('/api/v1/experiments/')).status).toBe(401);
  const [ada, bob] = [
    asKey(await createKey(api, { user_id: 'ada' })),
    asKey(await createKey(api, { user_id: 'bob' })),
  ];
  const id = await experimentOf(api, ada);
  expect((await api.get(`/api/v1/experiments/${id}`, ada)).status).toBe(200);
  expect((await api.get(`/api/v1/experiments/${id}`, bob)).status).toBe(404);
  expect((await api.get('/api/v1/datasets/', bob)).body.total).toBe(0);
  expect((await api.get(`/api/v1/experiments/${id}`, AS_MASTER)).status).toBe(200);
  // A client other than the operator cannot send requests to the operator's network.
  const near = await api.post('/api/v1/workflows/', { ...ENCODER(), experiment_id: id }, ada);
  expect([near.status, near.body.error.message]).toEqual([422, expect.stringContaining('private addresses')]);

  const open = await start(arm, { ...CONFIG, env: { GATEWAY_MASTER_KEY: '' } });
  expect((await open.get('/api/v1/experiments/')).status).toBe(200);
  expect((await open.get('/api/v1/experiments/', AS_MASTER)).status).toBe(401);
  expect((await open.get('/api/v1/health/')).body).toEqual({ status: 'OK', deployment_type: 'local' });
});

verifiesGateway('gateway:workflows:delete', async (arm) => {
  const api = await start(arm, CONFIG);
  const experiment_id = await experimentOf(api);
  // The model never responds, so that a running job can be stopped.
  const model = `silent@${arm.name}`;
  const body = {
    name: 's',
    provider: 'openai-compatible',
    base_url: `${openai.url}/v1`,
    model,
    experiment_id,
  };
  const { id } = (await api.post('/api/v1/workflows/', body, AS_MASTER)).body;
  await openai.happened('waiting', model);
  const remove = (query = ''): Promise<Answer> =>
    api.ask(`/api/v1/workflows/${id}${query}`, { method: 'DELETE', headers: AS_MASTER });
  const refused = await remove();
  expect([refused.status, refused.body.detail]).toEqual([400, 'Cannot delete a running workflow']);
  expect((await remove('?force=true')).status).toBe(200);
  const gone = await remove();
  expect([gone.status, gone.body.detail]).toEqual([404, `Workflow with ID ${id} not found`]);
});

verifiesGateway('gateway:workflows:models', async (arm) => {
  const api = await start(arm, WITH_MODELS);
  const { status, body } = await api.get('/api/v1/models/?tasks=Summarization&tasks=translation', AS_MASTER);
  expect([status, body.total]).toEqual([200, body.items.length]);
  expect(body.items).toContainEqual({
    display_name: 'openai:good',
    model: 'good',
    provider: 'openai',
    website_url: '',
    description: 'A model of openai.',
    requirements: [],
    tasks: expect.arrayContaining([{ summarization: {} }, { translation: {} }]),
  });
  expect((await api.get('/api/v1/models/', AS_MASTER)).body).toEqual(body);
  expect((await api.get('/api/v1/models?tasks=feature-extraction', AS_MASTER)).body).toEqual({
    total: 0,
    items: [],
  });
  const refused = await api.get('/api/v1/models/?tasks=cooking', AS_MASTER);
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    expect.stringMatching(/^Unsupported task\(s\): cooking\. Choose from: .*summarization/),
  ]);
  const none = asKey(await createKey(api, { allowed_models: ['other:*'] }));
  expect((await api.get('/api/v1/models/', none)).body.total).toBe(0);
  expect((await api.get('/api/v1/models/')).status).toBe(401);
});

verifiesGateway('gateway:workflows:paging', async (arm) => {
  const api = await start(arm, CONFIG);
  const experiment_id = await experimentOf(api);
  const made: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { id } = (await api.post('/api/v1/workflows/', { ...ENCODER(), name, experiment_id }, AS_MASTER))
      .body;
    made.unshift(id);
    await followed(api, id);
  }
  const page = async (query: string): Promise<[number, string[]]> => {
    const { body } = await api.get(`/api/v1/workflows/?experiment_id=${experiment_id}${query}`, AS_MASTER);
    return [body.total, body.items.map(({ id }: { id: string }) => id)];
  };
  expect(await page('')).toEqual([3, made]);
  expect(await page('&skip=1&limit=1')).toEqual([3, made.slice(1, 2)]);
  expect(await page('&status=succeeded&limit=2')).toEqual([3, made.slice(0, 2)]);
  expect(await page('&status=running')).toEqual([0, []]);
  for (const list of ['datasets', 'experiments', 'workflows', 'jobs']) {
    const { body } = await api.get(`/api/v1/${list}/?limit=1`, AS_MASTER);
    expect([list, body.total > 0, body.items.length]).toEqual([list, true, 1]);
    const beyond = await api.get(`/api/v1/${list}/?skip=100000`, AS_MASTER);
    expect([beyond.status, beyond.body.items]).toEqual([200, []]);
    expect((await api.get(`/api/v1/${list}/?limit=1001`, AS_MASTER)).status).toBe(422);
  }
});
