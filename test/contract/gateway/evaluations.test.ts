import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import { modelFor } from '../../helpers/small-container.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { Answer, Api } from '../shared-services.ts';
import { AS_MASTER, providersFor } from './config.ts';
import { experimentOf, followed } from './lab-requests.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const openai = await startFixture('openai');
const start = shareGateways();
const WITH_MODELS = { config: { providers: providersFor({ openai }) } };
const folder = useTempFolder();

const textsOf = (api: Api, rows: readonly object[]): Promise<string> =>
  experimentOf(api, AS_MASTER, {
    text: rows.map((row) => JSON.stringify(row)).join('\n'),
    filename: 'texts.jsonl',
    task_definition: { task: 'text-generation' },
  });

const create = (api: Api, body: object): Promise<Answer> =>
  api.post('/api/v1/workflows/', { name: 'w', ...body }, AS_MASTER);

/** The metrics of a workflow with a model that responds with `Grüße aus 東京 🌍: ` and the text. */
async function metricsOf(api: Api, body: object): Promise<Readonly<Record<string, number>>> {
  const answers = { provider: 'openai', model: 'good', system_prompt: 'Repeat.' };
  const { id } = (await create(api, { ...answers, ...body })).body;
  await followed(api, id);
  return (await api.get(`/api/v1/workflows/${id}`, AS_MASTER)).body.metrics;
}

verifiesGateway('gateway:workflows:lua-metric', async (arm) => {
  const api = await start(arm, WITH_MODELS);
  const experiment_id = await textsOf(api, [
    { examples: 'Hello', ground_truth: 'a', limit: 20 },
    { examples: 'Hello', ground_truth: 'a', limit: 21 },
  ]);
  // The response has 21 characters, and more bytes.
  const lua = 'function score(answer, row) return utf8.len(answer) <= row.limit end';
  const custom_metrics = [{ name: 'short', lua }];
  expect(await metricsOf(api, { experiment_id, metrics: ['exact_match'], custom_metrics })).toMatchObject({
    short: 0.5,
    exact_match: 0,
  });
  const broken = await create(api, {
    experiment_id,
    provider: 'openai',
    model: 'good',
    system_prompt: 'Repeat.',
    custom_metrics: [{ name: 'short', lua: 'function score(answer) return' }],
  });
  expect([broken.status, broken.body.detail[0].loc, broken.body.detail[0].msg]).toEqual([
    422,
    ['body', 'custom_metrics'],
    expect.stringContaining('"short"'),
  ]);
});

verifiesGateway('gateway:workflows:references', async (arm) => {
  const api = await start(arm, WITH_MODELS);
  const right = 'Grüße aus 東京 🌍: Hello';
  const experiment_id = await textsOf(api, [
    { examples: 'Hello', ground_truth: ['Something else entirely.', right] },
    { examples: 'Hello', ground_truth: ['Something else entirely.', 'And another one.'] },
  ]);
  const metrics = await metricsOf(api, { experiment_id, metrics: ['exact_match', 'cer', 'chrf'] });
  expect(metrics).toMatchObject({ exact_match: 0.5 });
  // The first row has no edits, and the second one does not combine its references.
  expect(metrics['cer']).toBeGreaterThan(0);
  expect(metrics['chrf_mean']).toBeGreaterThan(50);
});

verifiesGateway('gateway:workflows:encoder-file', async (arm) => {
  const [elsewhere = ''] = PLATFORMS.filter((one) => !isHost(one, process)).map(({ triple }) => triple);
  const model = join(folder(), 'model.encoder');
  const request = { provider: 'encoder', model };
  writeFileSync(model, modelFor(elsewhere, 'sequence_classification', { 0: 'SAFE', 1: 'INJECTION' }), {
    mode: 0o755,
  });
  const local = await start(arm, WITH_MODELS);
  const here = await create(local, { ...request, experiment_id: await experimentOf(local) });
  expect([here.status, here.body.detail[0].msg]).toEqual([
    422,
    expect.stringContaining(`${model} is for ${elsewhere}, but jobs run on this machine`),
  ]);

  // No server runs at the address, so the job stays queued.
  const ray = { address: 'http://127.0.0.1:9' };
  const cluster = await start(arm, { config: { workflows: { compute: 'ray', ray } } });
  const experiment_id = await experimentOf(cluster);
  expect((await create(cluster, { ...request, experiment_id })).status).toBe(201);
  writeFileSync(model, modelFor(elsewhere), { mode: 0o755 });
  const labels = await create(cluster, { ...request, experiment_id });
  expect([labels.status, labels.body.detail[0].msg]).toEqual([
    422,
    expect.stringContaining('"SAFE", which is not a label of'),
  ]);
  writeFileSync(model, 'not a model');
  const other = await create(cluster, { ...request, experiment_id });
  expect([other.status, other.body.detail[0].msg]).toEqual([
    422,
    expect.stringContaining('is not an encoderfile executable'),
  ]);
});
