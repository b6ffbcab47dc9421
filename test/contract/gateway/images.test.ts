import { expect } from 'vitest';
import { builtExecutable } from '../../helpers/built.ts';
import { expectClose } from '../../helpers/close.ts';
import { SHAPES } from '../../helpers/golden-shapes.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey } from './config.ts';
import { experimentOf, followed, upload } from './lab-requests.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const encoder = await startFixture('encoder');
const start = shareGateways();
const [circle = { base64: '' }] = SHAPES;
const PART = circle.base64.slice(20, 60);

verifiesGateway('gateway:images', async (arm) => {
  const api = await start(arm, {
    config: {
      encoders: {
        patches: { path: builtExecutable('patches') },
        shapes: { path: builtExecutable('shapes') },
      },
      pricing: {
        'encoder:patches': { input_price_per_million: 1, output_price_per_million: 0 },
        'encoder:shapes': { input_price_per_million: 1, output_price_per_million: 0 },
      },
      guardrails: { profiles: { letters: { patterns: { B64: 'iVBOR' } } }, policy: [{ profile: 'letters' }] },
      prompt_log: { enabled: true },
    },
  });
  const key = asKey(await createKey(api));
  const input = SHAPES.map(({ base64 }) => ({ image: `data:image/png;base64,${base64}` }));
  const requestId = `images-${arm.name}`;
  const embedded = await api.post(
    '/v1/embeddings',
    { model: 'encoder:patches', input },
    { ...key, 'x-request-id': requestId },
  );
  expect([embedded.status, embedded.body.usage]).toEqual([200, { prompt_tokens: 28, total_tokens: 28 }]);
  for (const [at, { patches, name }] of SHAPES.entries()) {
    const norm = Math.hypot(...patches);
    const expected = patches.map((value) => value / norm);
    expectClose(embedded.body.data[at].embedding, expected, name);
  }
  const classified = await api.post('/v1/classify', { model: 'encoder:shapes', input }, key);
  expect(classified.body.data.map(({ label }: { label: string }) => label)).toEqual(
    SHAPES.map(({ label }) => label),
  );
  const prompts = `/v1/admin/prompts/${requestId}`;
  await expect.poll(async () => (await api.get(prompts, AS_MASTER)).status).toBe(200);
  const { text } = await api.get(prompts, AS_MASTER);
  expect(text).toContain('[PNG image, 120 x 90 pixels, 519 bytes, sha256 ');
  expect(text).not.toContain(PART);
});

verifiesGateway('gateway:workflows:images', async (arm) => {
  const config = { encoders: { shapes: { path: builtExecutable('shapes') } } };
  const api = await start(arm, { config });
  const run = async (task: string, rows: readonly object[], model: object) => {
    const experiment_id = await experimentOf(api, AS_MASTER, {
      text: rows.map((row) => JSON.stringify(row)).join('\n'),
      filename: 'images.jsonl',
      task_definition: { task },
    });
    const body = { name: 'w', provider: 'encoder', experiment_id, ...model };
    const { id } = (await api.post('/api/v1/workflows/', body, AS_MASTER)).body;
    await followed(api, id);
    const { text } = await api.get(`/api/v1/experiments/${experiment_id}/rows`, AS_MASTER);
    expect(text).toContain('[PNG image, 120 x 90 pixels, 519 bytes, sha256 ');
    expect(text).not.toContain(PART);
    return (await api.get(`/api/v1/workflows/${id}`, AS_MASTER)).body.metrics;
  };
  const labelled = SHAPES.map(({ base64, label }) => ({ examples: base64, ground_truth: label }));
  const { items } = (await api.get('/api/v1/models/?tasks=image-classification', AS_MASTER)).body;
  expect(items).toMatchObject([{ provider: 'encoder', model: 'shapes' }]);
  for (const model of [builtExecutable('shapes'), 'shapes'])
    expect(await run('image-classification', labelled, { model })).toMatchObject({ accuracy: 1 });
  const box = { xmin: 4, ymin: 4, xmax: 28, ymax: 28 };
  const boxes = [{ examples: circle.base64, ground_truth: [{ label: 'shape', box }] }];
  const detector = { model: 'detector', base_url: `${encoder.url}/detector` };
  expect(await run('object-detection', boxes, detector)).toMatchObject({ map: expect.closeTo(1, 9) });

  const line = JSON.stringify({ examples: `${encoder.url}/circle.png`, ground_truth: 'circle' });
  const dataset = (await upload(api, line, AS_MASTER, 'urls.jsonl')).body.id;
  const before = (await encoder.counts())['requests'];
  const refused = await api.post(
    '/api/v1/experiments/',
    { name: 'urls', dataset, task_definition: { task: 'image-classification' } },
    AS_MASTER,
  );
  expect([refused.status, refused.body.error.message]).toEqual([
    422,
    expect.stringMatching(/^Row 1 of the dataset: .* is not an image/),
  ]);
  expect((await encoder.counts())['requests']).toBe(before);
});
