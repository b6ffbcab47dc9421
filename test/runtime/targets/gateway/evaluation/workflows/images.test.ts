import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { imageName } from '#gateway/store/image-name.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { startFixture } from '../../fixture-provider.ts';
import { doJobs } from './do-jobs.ts';
import { encoded, MASTER, requestsTo } from './workflow-requests.ts';

const encoder = await startFixture('encoder');
const gateway = useGateway();
const [circle = { base64: '' }] = SHAPES;
const PART = circle.base64.slice(20, 60);

const linesOf = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
const IMAGES = linesOf(
  SHAPES.map(({ base64, label }, at) => ({
    examples: at === 0 ? `data:image/png;base64,${base64}` : base64,
    ground_truth: label,
  })),
);

test('an experiment classifies images; outputs, rows, plots and the report contain names in place of images', async () => {
  const { ask, request, context, listen } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const dataset = (await upload(IMAGES, 'shapes.jsonl')).body.id;
  const id = await experiment(dataset, { task_definition: { task: 'image-classification' } });
  const path = `/api/v1/experiments/${id}`;
  const model = builtExecutable('shapes');
  const created = await workflow(id, { provider: 'encoder', model });
  expect(created.body).toMatchObject({ id: expect.any(String) });
  await doJobs(context.jobs, await listen());

  const done = (await ask('GET', `/api/v1/workflows/${created.body.id}`)).body;
  expect(done).toMatchObject({ status: 'succeeded', metrics: { accuracy: 1, top_5_accuracy: 1 } });
  const rows = await ask('GET', `${path}/rows?sort=row`);
  expect(rows.body.items).toMatchObject(
    SHAPES.map(({ base64, label }) => ({
      example: imageName(base64),
      models: { [created.body.id]: { answer: label, scores: { accuracy: 1 } } },
    })),
  );
  // An image is found by the hash of its file.
  const [hash = ''] = /[\da-f]{16}(?=\])/.exec(imageName(circle.base64) ?? '') ?? [];
  expect((await ask('GET', `${path}/rows?search=${hash}`)).body.total).toBe(1);
  const plots = await ask('GET', `${path}/plots`);
  expect(plots.body.workflows[0]).toMatchObject({
    confusion: { labels: ['circle', 'square', 'stripes'] },
    lengths: [],
  });
  const others = [
    await ask('GET', `${path}/report`),
    await ask('GET', `${path}/compare?format=markdown&disagreements=10`),
    await ask('GET', `/api/v1/workflows/${created.body.id}/logs`),
    await request(`/api/v1/workflows/${created.body.id}/rows?format=csv`, { headers: MASTER }),
    await ask('GET', '/api/v1/datasets/'),
  ];
  for (const { status, text } of [rows, plots, ...others]) {
    expect(status).toBe(200);
    expect(text).not.toContain(PART);
  }
  // The dataset itself still contains the images.
  const { download_urls: urls } = (await ask('GET', `/api/v1/datasets/${dataset}/download?extension=jsonl`))
    .body;
  const url = new URL(urls[0]);
  expect((await request(url.pathname + url.search)).text).toContain(PART);
});

test('a Parquet file with images can be used with renamed columns, if its labels are those of the model', async () => {
  const { request } = gateway();
  const { experiment, workflow } = requestsTo(gateway());
  const file = readFileSync(join(FIXTURES, 'datasets/images.parquet'));
  const form = new FormData();
  form.set('columns', '{"examples": "image", "ground_truth": "label"}');
  form.set('format', 'job');
  form.set('dataset', new Blob([Uint8Array.from(file)]), 'images.parquet');
  const { body, type } = await encoded(form);
  const headers = { ...MASTER, 'Content-Type': type };
  const dataset = (await request('/api/v1/datasets/', { method: 'POST', body, headers })).body.id;
  const id = await experiment(dataset, { task_definition: { task: 'image-feature-extraction' } }).catch(
    (error: unknown) => String(error),
  );
  expect(id).toContain('must have a column `reference`');
  const classified = await experiment(dataset, { task_definition: { task: 'image-classification' } });
  const answer = await workflow(classified, { provider: 'encoder', model: builtExecutable('shapes') });
  // An upload does not use the names of the labels, as an import does.
  expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining('"0"')]);
});

const close = expect.closeTo(1, 9);

test('a single inference job checks its inputs as well, and its outputs can be evaluated', async () => {
  const { ask, context, listen } = gateway();
  const { upload } = requestsTo(gateway());
  const job = (type: string, dataset: string, task: string, more: object = {}) =>
    ask('POST', `/api/v1/jobs/${type}/`, {
      name: type,
      dataset,
      job_config: { job_type: type, task_definition: { task }, ...more },
    });
  const model = { model: builtExecutable('shapes'), provider: 'encoder' };
  const images = (await upload(IMAGES, 'shapes.jsonl')).body.id;
  const chat = await job('inference', images, 'summarization', { provider: 'openai', model: 'good' });
  expect([chat.status, chat.body.error.message]).toEqual([
    422,
    expect.stringMatching(/Row 1 of the dataset: \[PNG image, .* cannot be read by this task/),
  ]);
  const inference = await job('inference', images, 'image-classification', model);
  expect(inference.body).toMatchObject({ id: expect.any(String) });
  await doJobs(context.jobs, await listen());
  const outputs = (await ask('GET', `/api/v1/jobs/${inference.body.id}/dataset`)).body;
  const evaluation = await job('evaluator', outputs.id, 'image-classification', { metrics: ['accuracy'] });
  await doJobs(context.jobs, await listen());
  const result = (await ask('GET', `/api/v1/jobs/${evaluation.body.id}/result`)).body;
  expect(result.metrics).toEqual({ accuracy: 1 });
});

test('an annotated dataset keeps its images, so that experiments can use it', async () => {
  const { ask, context, listen } = gateway();
  const { upload, experiment } = requestsTo(gateway());
  const images = linesOf(SHAPES.map(({ base64 }) => ({ examples: base64 })));
  const { body } = await ask('POST', '/api/v1/jobs/annotate/', {
    name: 'labels',
    dataset: (await upload(images, 'unlabeled.jsonl')).body.id,
    job_config: {
      job_type: 'annotate',
      task_definition: { task: 'image-classification' },
      model: builtExecutable('shapes'),
      provider: 'encoder',
    },
  });
  await doJobs(context.jobs, await listen());
  const annotated = (await ask('GET', `/api/v1/jobs/${body.id}/dataset`)).body;
  expect(annotated).toMatchObject({ row_count: SHAPES.length, ground_truth: true });
  expect(await experiment(annotated.id, { task_definition: { task: 'image-classification' } })).toMatch(/./);
});

test('objects of a detector are evaluated, and searched by their labels', async () => {
  const { ask, context, listen } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const truth = [{ label: 'shape', box: { xmin: 4, ymin: 4, xmax: 28, ymax: 28 } }];
  const text = linesOf([
    { examples: circle.base64, ground_truth: truth },
    { examples: SHAPES[1]?.base64, ground_truth: [] },
  ]);
  const id = await experiment((await upload(text, 'boxes.jsonl')).body.id, {
    task_definition: { task: 'object-detection' },
  });
  const { body: created } = await workflow(id, {
    provider: 'encoder',
    model: 'detector',
    base_url: `${encoder.url}/detector`,
  });
  await doJobs(context.jobs, await listen());
  const done = (await ask('GET', `/api/v1/workflows/${created.id}`)).body;
  expect(done).toMatchObject({ status: 'succeeded', metrics: { map: close, map_50: close, map_75: close } });
  const { body } = await ask('GET', `/api/v1/experiments/${id}/rows?search=SHAPE&sort=row`);
  expect(body.items).toMatchObject([
    {
      example: imageName(circle.base64),
      ground_truth: truth,
      models: { [created.id]: { answer: [{ label: 'shape', score: 0.9 }, {}], scores: { map: close } } },
    },
    { ground_truth: [], models: { [created.id]: { scores: {} } } },
  ]);
});

const OBJECT = { label: 'shape', box: { xmin: 4, ymin: 4, xmax: 28, ymax: 28 } };
const ATTACKS: readonly [what: string, task: string, row: object, message: RegExp][] = [
  [
    'a URL',
    'image-classification',
    { examples: `${encoder.url}/circle.png`, ground_truth: 'a' },
    /Row 1 of the dataset: "http.* is not an image\. .* Other URLs are not fetched\./,
  ],
  [
    'a data URL of a URL',
    'image-classification',
    { examples: `data:image/png;base64,${encoder.url}`, ground_truth: 'a' },
    /is not an image/,
  ],
  [
    'an SVG image',
    'image-classification',
    { examples: 'data:image/svg+xml;base64,PHN2Zy8+', ground_truth: 'a' },
    /is not an image/,
  ],
  [
    'a local file',
    'object-detection',
    { examples: 'file:///etc/passwd', ground_truth: [OBJECT] },
    /"file:\/\/\/etc\/passwd" is not an image/,
  ],
  [
    'a text as reference',
    'image-feature-extraction',
    { examples: circle.base64, reference: 'a text' },
    /"a text" is not an image/,
  ],
  [
    'an image in a text column',
    'text-classification',
    { examples: circle.base64, ground_truth: 'a' },
    /Row 1 of the dataset: \[PNG image, 120 x 90 pixels, .* cannot be read by this task, whose models read texts\. Use a task for images/,
  ],
  [
    'a label in place of objects',
    'object-detection',
    { examples: circle.base64, ground_truth: 'circle' },
    /"circle" is not a list of objects with boxes/,
  ],
  [
    'too many objects',
    'object-detection',
    { examples: circle.base64, ground_truth: Array.from({ length: 2001 }, () => OBJECT) },
    /has 2001 objects; the maximum is 2000/,
  ],
];

test.each(ATTACKS)(
  'an experiment is rejected, and nothing is fetched: %s',
  async (_what, task, row, message) => {
    const before = (await encoder.counts())['requests'];
    const { ask } = gateway();
    const dataset = (await requestsTo(gateway()).upload(linesOf([row]), 'attack.jsonl')).body.id;
    const { status, text, body } = await ask('POST', '/api/v1/experiments/', {
      name: 'attack',
      dataset,
      task_definition: { task },
    });
    expect([status, body.error.message]).toEqual([422, expect.stringMatching(message)]);
    expect(text).not.toContain(PART);
    expect((await encoder.counts())['requests']).toBe(before);
  },
);

test('other users see neither a dataset of images nor the names in its rows', async () => {
  const { ask, request } = gateway();
  const { upload, experiment } = requestsTo(gateway());
  const keys: string[] = [];
  for (const user of ['ann', 'bob']) {
    await ask('POST', '/v1/users', { user_id: user });
    keys.push((await ask('POST', '/v1/keys', { user_id: user })).body.key);
  }
  const [ann, bob] = keys.map((key) => ({ 'X-Gateway-Key': `Bearer ${key}` }));
  if (!ann || !bob) throw new Error('no keys');
  const dataset = (await upload(IMAGES, 'shapes.jsonl', ann)).body.id;
  expect(dataset).toEqual(expect.any(String));
  const id = await experiment(dataset, { task_definition: { task: 'image-classification' } });
  for (const path of [`experiments/${id}/rows`, `datasets/${dataset}`, `datasets/${dataset}/download`]) {
    const { status, text } = await request(`/api/v1/${path}`, { headers: bob });
    expect([status, text]).toEqual([404, expect.not.stringContaining('PNG image')]);
  }
});
